import { type Bytes, type KeyValue, StoreError } from '@unikv/core'
import type { LoopClock } from '../../../loop/clock.ts'
import { closedLoop } from '../../../loop/closed-loop.ts'
import { fastRandom, shuffledIndexes, subSeed } from '../../../random/random.ts'
import { leastOperations } from './phase.ts'

/** The input of a cell. */
export interface CellInput {
  /** The run's namespace in the store. */
  readonly keys: KeyValue<string, Bytes>
  /** Begins the names of this cell's keys. */
  readonly prefix: string
  /** Objects to write, taken in turn. */
  readonly objects: readonly Bytes[]
  /** Distinct keys. */
  readonly operations: number
  readonly parallel: number
  readonly maxMs: number
  readonly seed: number
  readonly signal: AbortSignal
  /** Compare all bytes with what was written, outside of what is timed; every timed read is checked in part anyway. */
  readonly verify: boolean
  /** @default the machine's */
  readonly clock?: LoopClock | undefined
}

/** Name of the key that a cell writes at an index. */
export function keyOf({ prefix }: Pick<CellInput, 'prefix'>, index: number): string {
  return `${prefix}/${index}`
}

/** The object that a cell writes at an index. */
export function objectOf({ objects }: Pick<CellInput, 'objects'>, index: number): Bytes {
  return objects[index % objects.length] as Bytes
}

/** Indexes in a seeded order. */
export function readOrder({ seed, prefix }: Pick<CellInput, 'seed' | 'prefix'>, count: number): Uint32Array {
  return shuffledIndexes(count, fastRandom(subSeed(seed, 'order', prefix)))
}

/** Checks what reads in an order brought. */
export function checkOf(input: CellInput, order: Uint32Array): (index: number, answer: unknown) => void {
  const { name } = input.keys
  return (index, answer) =>
    checkRead(name, answer as Bytes | undefined, objectOf(input, order[index] as number))
}

/** So many bytes at the beginning are compared, and the last one. */
const COMPARED = 16

/**
 * Check what a timed read brought: a record must be there, with the length, the beginning and the end of what was
 * written. Cheap enough for every read; whole values are compared in the warm-up.
 *
 * @throws {StoreError} `CORRUPT`
 */
function checkRead(store: string, found: Bytes | undefined, written: Bytes): void {
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

/** Operations in flight where nothing is measured. */
const WORKERS = 32

/**
 * Operations that must happen but are not measured: as fast as the store takes them. Ends with the first error, and after the time
 * that a phase may take.
 *
 * @returns how many operations were done, from index 0 on
 * @throws the first error, or the reason of the signal
 */
export async function untimed(
  { maxMs, signal }: CellInput,
  count: number,
  start: (index: number) => Promise<unknown>,
  check?: (index: number, answer: unknown) => void,
): Promise<number> {
  if (count === 0) return 0
  const work = { kinds: ['untimed'], pick: () => 0, start: (_kind: number, index: number) => start(index) }
  const checked = (_kind: number, index: number, answer: unknown): undefined => {
    check?.(index, answer)
    return undefined
  }
  const result = await closedLoop(check === undefined ? work : { ...work, check: checked }, {
    workers: WORKERS,
    operations: count,
    durationMs: maxMs,
    atLeast: leastOperations,
    stopsOnError: true,
    signal,
  })
  signal.throwIfAborted()
  if (result.errors > 0) throw result.firstError
  return result.operations
}

/**
 * Delete the keys of a cell from one index to another. Keys that a slow store does not delete in time go with the run's
 * namespace.
 */
export async function deleteKeys(input: CellInput, from: number, to: number): Promise<void> {
  await untimed(input, to - from, (index) => input.keys.delete(keyOf(input, from + index)))
}
