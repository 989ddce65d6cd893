import { StoreError } from '../contract/errors.ts'
import type { ScanRange } from '../contract/store.ts'

/**
 * A cursor for the outside: where a scan stands (`resume` of the store), bound to the store, the namespace and
 * the range, so that one that returns to another place is refused instead of listing something else.
 */
export function encodeCursor(store: string, range: ScanRange, { resume, after }: Place): string {
  const place = after === undefined ? resume : [resume ?? null, after]
  return Buffer.from(JSON.stringify([format, ...bindings(store, range), place])).toString('base64url')
}

/** @throws {StoreError} `INVALID_ARGUMENT` if this is not a cursor of this store and range */
export function decodeCursor(store: string, range: ScanRange, cursor: string): Place {
  const parts = parse(cursor)
  const place = parts.pop()
  if (JSON.stringify(parts) === JSON.stringify([format, ...bindings(store, range)])) {
    if (typeof place === 'string') return { resume: place }
    const [resume, after] = Array.isArray(place) ? (place as unknown[]) : []
    if (typeof after === 'string' && (resume === null || typeof resume === 'string'))
      return { resume: resume ?? undefined, after }
  }
  throw new StoreError(
    'INVALID_ARGUMENT',
    'The cursor belongs to another store, namespace or range. Start the scan without it.',
  )
}

/** A place in a listing. */
export interface Place {
  /** Where the page begins: `resume` of the store, absent at the beginning. */
  readonly resume?: string | undefined
  /** The last key of this page that was listed; absent: none of it was. */
  readonly after?: string | undefined
}

const format = 1

function bindings(store: string, { prefix, gte, lt, reverse }: ScanRange): readonly (string | null)[] {
  const forward = [store, prefix, gte ?? null, lt ?? null]
  return reverse === true ? [...forward, 'reverse'] : forward
}

function parse(cursor: unknown): unknown[] {
  try {
    const parts: unknown = JSON.parse(Buffer.from(String(cursor), 'base64url').toString())
    return Array.isArray(parts) ? parts : []
  } catch {
    return []
  }
}
