import { StoreError } from '@unikv/core/adapter'

/** Where a scan stands: good in another process. */
export interface Position {
  /** Fingerprint of the layout that the scan began with. */
  readonly layout: string
  readonly shard: string
  /** The run of the server that the cursor belongs to: another run hashes its keys anew. */
  readonly run: string
  /** Cursor of SCAN; `end` if there is nothing behind `pending`. */
  readonly cursor: string
  /** Keys that were found but not listed yet: SCAN may find more than fit into a page. */
  readonly pending: readonly string[]
}

/** The end of a shard. */
export const atEnd = 'end'

/** A position as an opaque string. */
export function writePosition({ layout, shard, run, cursor, pending }: Position): string {
  return JSON.stringify([layout, shard, run, cursor, ...pending])
}

/** @throws {StoreError} `INVALID_ARGUMENT` if the string is not a position */
export function readPosition(text: string): Position {
  const parts = parse(text)
  const [layout, shard, run, cursor, ...pending] = parts
  if (layout === undefined || shard === undefined || run === undefined || cursor === undefined)
    throw invalid()
  if (cursor !== atEnd && !/^\d+$/.test(cursor)) throw invalid()
  return { layout, shard, run, cursor, pending }
}

function parse(text: string): readonly string[] {
  try {
    const parts: unknown = JSON.parse(text)
    if (Array.isArray(parts) && parts.every((part) => typeof part === 'string')) return parts
  } catch {
    // the same answer as for JSON of another form
  }
  throw invalid()
}

function invalid(): StoreError {
  return new StoreError(
    'INVALID_ARGUMENT',
    'The cursor was not issued by this store. Start the scan without it.',
  )
}
