import { createHash, randomUUID } from 'node:crypto'
import { isEntry, isStoreError, type Mutation, newVersion, StoreError } from '@unikv/core'
import { isBytes, isPlainObject } from '@unikv/core/platform'
import { markKey, type Place } from '../places/place.ts'
import { retried, type Ways } from './ways.ts'
import { callOf } from './writer.ts'

/** How far an unfinished copy is, as its target tells. */
export interface Mark {
  readonly format: 1
  /** Tells this copy from all others. */
  readonly id: string
  /** Names the source without telling what it is. */
  readonly source: string
  /** Whether the target may hold records of others. */
  readonly overwrite: boolean
  readonly phase: 'copy' | 'verify'
  /** Where reading of the source goes on; absent: at its start. */
  readonly after?: unknown
  readonly records: number
  readonly bytes: number
  readonly expired: number
}

/** A name for a source that is the same in every process, and tells nothing. */
export function identityOf(parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url')
}

/** The mark of a copy that begins. */
export function newMark(source: string, overwrite: boolean): Mark {
  return { format: 1, id: randomUUID(), source, overwrite, phase: 'copy', records: 0, bytes: 0, expired: 0 }
}

/**
 * The mark in a place, if there is one.
 *
 * @throws {StoreError} `CORRUPT` for a mark that cannot be read; errors of the store
 */
export async function readMark({ store }: Place, ways: Ways): Promise<Mark | undefined> {
  const [result] = await retried(ways, async () => store.read([{ key: markKey }], callOf(ways)))
  if (isStoreError(result)) throw result
  return isEntry(result) ? parsed(result.value, store.name) : undefined
}

/** Keep a mark in a place. */
export function writeMark(place: Place, mark: Mark, ways: Ways): Promise<void> {
  const value = valueOf(place, mark)
  return write(place, { type: 'set', key: markKey, value, version: newVersion() }, ways)
}

/** Put the first mark into a place. `false`: another copy was faster. */
export async function claim(place: Place, mark: Mark, ways: Ways): Promise<boolean> {
  const ifVersion = place.store.capabilities.conditionalWrite ? null : undefined
  const value = valueOf(place, mark)
  await write(place, { type: 'set', key: markKey, value, version: newVersion(), ifVersion }, ways)
  return (await readMark(place, ways))?.id === mark.id
}

/** Remove the mark from a place. */
export function removeMark(place: Place, ways: Ways): Promise<void> {
  return write(place, { type: 'delete', key: markKey, version: newVersion() }, ways)
}

async function write({ store }: Place, mutation: Mutation<unknown>, ways: Ways): Promise<void> {
  await retried(ways, async () => {
    const [result] = await store.write([mutation], callOf(ways))
    if (isStoreError(result)) throw result
  })
}

function valueOf({ store }: Place, mark: Mark): unknown {
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
