import type { Bytes, KeyValue } from '@unikv/core'
import type { LoopClock } from '../../../loop/clock.ts'
import { fastRandom, shuffledIndexes, subSeed } from '../../../random/random.ts'
import { checkRead } from './check-read.ts'

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
