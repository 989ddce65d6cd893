import { type Bytes, StoreError } from '@unikv/core'

/** So many bytes at the beginning are compared, and the last one. */
const COMPARED = 16

/**
 * Check what a timed read brought: a record must be there, with the length, the beginning and the end of what was
 * written. Cheap enough for every read; whole values are compared in the warm-up.
 *
 * @throws {StoreError} `CORRUPT`
 */
export function checkRead(store: string, found: Bytes | undefined, written: Bytes): void {
  if (found === undefined) throw missing(store)
  const { length } = written
  let isEqual = found.length === length && found[length - 1] === written[length - 1]
  for (let at = 0; isEqual && at < COMPARED && at < length; at++) isEqual = found[at] === written[at]
  if (!isEqual) throw changed(store)
}

/**
 * The same for every byte.
 *
 * @throws {StoreError} `CORRUPT`
 */
export function checkWhole(store: string, found: Bytes | undefined, written: Bytes): void {
  if (found === undefined) throw missing(store)
  if (Buffer.compare(found, written) !== 0) throw changed(store)
}

function missing(store: string): StoreError {
  return new StoreError(
    'CORRUPT',
    `${store} does not return a record that this run wrote. A miss is not measured as a read: check that the store does not evict or expire records, and that no other program deletes them.`,
  )
}

function changed(store: string): StoreError {
  return new StoreError('CORRUPT', `${store} does not return the bytes that this run wrote.`)
}
