import type { Bytes } from '@unikv/core'
import { checkOptions, type OptionNames } from '@unikv/core/adapter'
import type { DataSource } from '../data/data-source.ts'
import { invalidArgument } from '../options/invalid.ts'
import { fastRandom, mix, subSeed } from '../random/random.ts'
import { greatestLength, type LengthLaw } from './length-law.ts'
import { lengths } from './lengths.ts'

/** The values of a run. */
export interface ValuesOptions {
  readonly seed: number
  /** Objects that values are cut from, of the longest value's length each: those of a `DataSource`, some hundreds. */
  readonly objects: readonly Bytes[]
}

/** Bytes for keys: the same number, length and turn give the same bytes, so that a read can be checked. */
export interface Values {
  /**
   * The first `length` bytes of the object for the key with this number. They are shared: never change them.
   *
   * @param turn Number of the write. Writes of one key in a row differ, so that no store can skip one; four turns repeat.
   */
  bytes(number: number, length: number, turn?: number): Bytes
  /** Whether `bytes` gives this value for the key with this number, at any turn. */
  matches(number: number, value: Uint8Array): boolean
}

const optionNames: OptionNames<ValuesOptions> = { seed: true, objects: true }

/** Bytes that the objects of a run take about, and the most of them. */
const poolBytes = 16 * 1024 * 1024
const mostObjects = 256

/** How many objects of this size serve a run. */
export function objectCount(size: number): number {
  return Math.max(2, Math.min(mostObjects, Math.floor(poolBytes / size)))
}

/** Few, so that a value of another key seldom matches. */
const TURNS = 4

/**
 * Values that cost no more than a view, and follow from the number of their key.
 *
 * @throws {StoreError} `INVALID_ARGUMENT` without objects
 */
export function values(options: ValuesOptions): Values {
  checkOptions('values', options, optionNames, 'INVALID_ARGUMENT')
  const { seed, objects } = options
  if (objects.length === 0) throw invalidArgument('Values need at least one object.')
  // Turns of a key are neighbours, so that they differ wherever neighbours do
  const objectOf = (number: number, turn: number): Bytes =>
    objects[(mixed(number, seed) + (turn % TURNS)) % objects.length] as Bytes
  return {
    bytes: (number, length, turn = 0) => {
      const object = objectOf(number, turn)
      return object.length === length ? object : object.subarray(0, length)
    },
    matches: (number, value) => {
      for (let turn = 0; turn < TURNS; turn++) if (startsWith(objectOf(number, turn), value)) return true
      return false
    },
  }
}

function startsWith(object: Bytes, value: Uint8Array): boolean {
  if (object[0] !== value[0] || value.length > object.length) return false
  return Buffer.compare(object.subarray(0, value.length), value) === 0
}

/** 32 bits out of a number of up to 53 and a seed. */
function mixed(number: number, seed: number): number {
  return mix(number ^ Math.imul(Math.floor(number / 0x1_0000_0000), 0x9e3779b1) ^ seed) >>> 0
}

/** The next value of a record; values are views of a pool of objects, cut to their lengths. */
export interface ValuePool {
  next(seed: number): (number: number) => Bytes
  /** Whether a value is one that `next` gives for this number. */
  matches(number: number, value: Bytes): boolean
}

/** Values of a law's lengths, from the data of the run. */
export async function valuePool(
  data: Pick<DataSource, 'objects'>,
  law: LengthLaw,
  seed: number,
): Promise<ValuePool> {
  const size = greatestLength(law)
  const made = values({ seed, objects: await data.objects(size, objectCount(size)) })
  return {
    matches: (number, value) => made.matches(number, value),
    next: (runSeed) => {
      const drawn = lengths(law, fastRandom(subSeed(runSeed, 'lengths')))
      let turn = 0
      return (number) => made.bytes(number, drawn.next(), turn++)
    },
  }
}
