import { createHash, randomUUID } from 'node:crypto'
import { isEntry, isStoreError, StoreError } from '@unikv/core'
import { isBytes, isPlainObject } from '@unikv/core/platform'
import { markKey, type Place } from '../places/place.ts'
import { retried, type Ways } from '../ways.ts'
import { callOf } from './writer.ts'

/** How far an unfinished copy is, as its target tells. */
export interface Mark {
  readonly format: 1
  /** Tells the process that works on this copy from all others. */
  readonly id: string
  /** Names the source without telling what it is. */
  readonly source: string
  /** Whether the target may hold records of others. */
  readonly overwrite: boolean
  /** Whether records that expire are kept for ever. */
  readonly dropExpiry?: boolean
  readonly phase: 'copy' | 'verify'
  /** Where reading of the source goes on; absent: at its start. */
  readonly after?: unknown
  readonly records: number
  readonly bytes: number
  readonly expired: number
}

/** A mark as it was found in a place. */
export interface FoundMark {
  readonly mark: Mark
  readonly version: string | undefined
}

/** A name for a source that is the same in every process, and tells nothing. */
export function identityOf(parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url')
}

/** The mark of a copy that begins. */
export function newMark(source: string, how: Pick<Mark, 'overwrite' | 'dropExpiry'>): Mark {
  return { format: 1, id: randomUUID(), source, ...how, phase: 'copy', records: 0, bytes: 0, expired: 0 }
}

/** The same copy in another process. */
export function resumedMark(mark: Mark): Mark {
  return { ...mark, id: randomUUID() }
}

/**
 * The mark in a place, if there is one.
 *
 * @throws {StoreError} `CORRUPT` for a mark that cannot be read; errors of the store
 */
export async function readMark({ store }: Place, ways: Ways): Promise<FoundMark | undefined> {
  const [result] = await retried(ways, async () => store.read([{ key: markKey }], callOf(ways)))
  if (isStoreError(result)) throw result
  return isEntry(result) ? { mark: parsed(result.value, store.name), version: result.version } : undefined
}

/** The mark as a value of a place. */
export function valueOf({ store }: Place, mark: Mark): unknown {
  return store.capabilities.documents ? mark : Buffer.from(JSON.stringify(mark))
}

function parsed(value: unknown, name: string): Mark {
  try {
    const mark: unknown = isBytes(value) ? JSON.parse(Buffer.from(value).toString()) : value
    if (isPlainObject(mark) && mark['format'] === 1 && typeof mark['source'] === 'string')
      return mark as unknown as Mark
  } catch {
    // Told below.
  }
  throw new StoreError(
    'CORRUPT',
    'The mark of an unfinished copy in the target cannot be read. Clear the target, and copy again.',
    { store: name },
  )
}
