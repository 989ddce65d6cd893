import { StoreError } from '../contract/errors.ts'

/** The failure that an acknowledged write survives, by the server's own settings. */
export type SqlDurability = 'memory' | 'buffered' | 'flushed'

/** The comment by which a table is known as ours. */
export type Marker = 'unikv 1 bytes' | 'unikv 1 document' | 'unikv 1 groups'

/** A table of ours, and how it is looked at and made. */
export interface SqlTable<F extends { readonly marker: string | null | undefined }> {
  /** As messages name it. */
  readonly name: string
  readonly marker: Marker
  /** Make it where it is missing. */
  readonly prepare: boolean
  /** The function that makes it on request, such as `prepareMysql`. */
  readonly maker: string
  /** `marker` is the comment of the table; `undefined`: it is missing. */
  readonly look: () => Promise<F>
  /** Make it. Where another process is quicker, its table is looked at. */
  readonly make: () => Promise<unknown>
}

/**
 * Look at a table, and make it if that was asked for.
 *
 * @throws {StoreError} `NOT_PREPARED` if it is missing, `INVALID_CONFIG` if it is not ours
 */
export async function openSqlTable<F extends { readonly marker: string | null | undefined }>({
  name,
  marker,
  prepare,
  maker,
  look,
  make,
}: SqlTable<F>): Promise<F> {
  let found = await look()
  if (found.marker === undefined && prepare) {
    await make()
    found = await look()
  }
  if (found.marker === marker) return found
  if (found.marker === undefined)
    throw new StoreError(
      'NOT_PREPARED',
      `There is no table ${name}. Call ${maker} with these options once, or set prepare: true.`,
    )
  throw new StoreError(
    'INVALID_CONFIG',
    `The table ${name} ${strangeness(found.marker, marker)}. Name another table.`,
  )
}

function strangeness(found: string | null, wanted: Marker): string {
  if (wanted === 'unikv 1 groups') return 'was not created by unikv for groups'
  return found?.startsWith('unikv 1 ') === true
    ? 'holds values of another kind (option "values")'
    : 'was not created by unikv'
}

const levels: readonly SqlDurability[] = ['memory', 'buffered', 'flushed']

/**
 * Refuse a server that promises less than is wanted.
 *
 * @param hint the settings of the server that decide it
 * @throws {StoreError} `INVALID_CONFIG`
 */
export function checkDurability(given: SqlDurability, wanted: SqlDurability, hint: string): void {
  if (levels.indexOf(given) >= levels.indexOf(wanted)) return
  throw new StoreError(
    'INVALID_CONFIG',
    `The server cannot give durability '${wanted}', only '${given}'. ${hint}`,
  )
}
