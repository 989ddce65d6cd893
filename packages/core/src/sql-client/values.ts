import { corrupt } from '../adapter/adapter-errors.ts'
import type { Json } from '../codecs/json.ts'
import { type StoreError, toStoreError } from '../contract/errors.ts'
import type { Entry, NotModified, Read } from '../contract/store.ts'

/** The parts of a record that a statement reads: all, all but the body, or the body unless its version is known. */
export type ReadKind = 'value' | 'head' | 'unless'

/** The kind of a read. */
export function readKindOf({ head, ifNotVersion }: Read): ReadKind {
  if (head === true) return 'head'
  return ifNotVersion === undefined ? 'value' : 'unless'
}

/** A record as statements answer it. */
export interface SqlRow<B> {
  /** Hexadecimal. */
  readonly version: string
  /** Milliseconds since the epoch. */
  readonly expiresAt: number | undefined
  /** `null`: it was not asked for, or is known. */
  readonly body: B | null
}

/**
 * The entry of a row as it was asked for, or an error if it makes no sense: someone changed the table.
 *
 * @param isSecond another row of the same key came before
 */
export function entryOf<V, B>(
  { version, expiresAt, body }: SqlRow<B>,
  { fromColumn }: { readonly fromColumn: (column: B) => V },
  { head, ifNotVersion }: Pick<Read, 'head' | 'ifNotVersion'>,
  isSecond = false,
): Entry<V> | NotModified | StoreError {
  const isOdd = isSecond || version.length !== versionDigits
  if (isOdd || (expiresAt !== undefined && !Number.isSafeInteger(expiresAt))) return corrupt('The row')
  if (body === null) {
    const isSpared = head === true || version === ifNotVersion
    return isSpared ? { notModified: true, version, expiresAt } : corrupt('The row')
  }
  if (head === true) return corrupt('The row')
  try {
    return { value: fromColumn(body), version, expiresAt }
  } catch (error) {
    return toStoreError(error, { code: 'CORRUPT' })
  }
}

/** A version has 12 bytes. */
const versionDigits = 24

/** The document in a column. @throws {StoreError} `CORRUPT` */
export function documentOf(column: Buffer | string): Json {
  try {
    return JSON.parse(column.toString()) as Json
  } catch (cause) {
    throw corrupt('The column `value`', 'does not hold JSON', cause)
  }
}

/** The expiry as a column holds it. */
export function expiryColumn(expiresAt: number | undefined): number | null {
  return expiresAt === undefined ? null : Math.floor(expiresAt)
}
