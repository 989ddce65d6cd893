import fs from 'node:fs'
import { StoreError } from '@unikv/core/adapter'

/** The file that a store has open, for all its threads: device and number of the file, or zeros. */
export type FileIdentity = Float64Array

/** The identity of a file that is not open yet. */
export function noFileYet(): FileIdentity {
  return new Float64Array(new SharedArrayBuffer(16))
}

/** The identity of the file at a path. `undefined`: there is none. */
function identityAt(path: string): readonly [number, number] | undefined {
  const stats = fs.statSync(path, { throwIfNoEntry: false })
  return stats === undefined ? undefined : [stats.dev, stats.ino]
}

/** Whether a store has had its file open. */
export function isKnown(known: FileIdentity): boolean {
  return known[1] !== 0
}

/** Remember the file at this path, which is open now. */
export function remember(known: FileIdentity, path: string): void {
  known.set(identityAt(path) ?? [])
}

/** From now on no thread opens the file, or writes it. */
export function distrust(known: FileIdentity): void {
  known.fill(-1)
}

/**
 * See to it that the file that was open is where it was: what is written into a file that was moved or removed is lost, and
 * what is read from a new one in its place is not what was written.
 *
 * @throws {StoreError} `NOT_PREPARED`
 */
export function checkInPlace(known: FileIdentity, path: string): void {
  if (!isKnown(known)) return
  const [device, number] = identityAt(path) ?? []
  if (device === known[0] && number === known[1]) return
  throw new StoreError(
    'NOT_PREPARED',
    'The file, or its log (-wal), was moved, removed or replaced while it was open; nothing was changed. Close this store and open a new one.',
  )
}
