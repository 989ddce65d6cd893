import { type Bytes, StoreError } from '@unikv/core'
import { checkOptions, type OptionNames } from '@unikv/core/adapter'
import { syntheticBlock, syntheticBytes } from '../data/synthetic.ts'
import { fastRandom, subSeed } from '../random/random.ts'

/** The values of a run. */
export interface ValuesOptions {
  readonly seed: number
  /** The longest value that is asked for. */
  readonly largestBytes: number
  /**
   * How much a compressor can save, from 0 (random bytes) to 1 (one repeated byte).
   * @default 0.5
   */
  readonly compressibility?: number | undefined
}

/** Bytes for keys: the same seed, number, length and turn give the same bytes, so that reads can be checked. */
export interface Values {
  /** One line for the result: `synthetic, compressibility 0.5`. */
  readonly description: string
  /**
   * A value of `length` bytes for the key with this number. It is a view of bytes that values share: never change it.
   *
   * @param turn Number of the write. Writes of one key in a row differ, so that no store can skip one; 64 turns repeat.
   */
  bytes(number: number, length: number, turn?: number): Bytes
  /** Whether `bytes` gave this value for the key with this number, at any turn. */
  matches(number: number, value: Uint8Array): boolean
}

const optionNames: OptionNames<ValuesOptions> = { seed: true, largestBytes: true, compressibility: true }

/** Blocks at which a value can start. */
const STARTS = 4_096
const TURNS = 64

/**
 * Values as slices of one made block, so that a value costs no more than a view.
 *
 * @throws {StoreError} `INVALID_ARGUMENT` if the compressibility is not within 0 to 1
 */
export function values(options: ValuesOptions): Values {
  checkOptions('values', options, optionNames, 'INVALID_ARGUMENT')
  const { seed, largestBytes, compressibility = 0.5 } = options
  if (!(compressibility >= 0 && compressibility <= 1))
    throw new StoreError('INVALID_ARGUMENT', 'The compressibility must be a number from 0 to 1.')
  const size = (STARTS + Math.ceil(largestBytes / syntheticBlock)) * syntheticBlock
  const source = syntheticBytes(size, compressibility, fastRandom(subSeed(seed, 'values')))
  // Values start among random bytes, so that short ones differ too
  const random = Math.max(1, syntheticBlock - Math.round(syntheticBlock * compressibility))
  const startOf = (number: number, turn: number): number => {
    const hash = mixed(number, turn % TURNS, seed)
    const place = hash % (STARTS * random)
    return Math.floor(place / random) * syntheticBlock + (place % random)
  }
  const isAt = (start: number, value: Uint8Array): boolean =>
    source[start] === value[0] && Buffer.compare(source.subarray(start, start + value.length), value) === 0
  return {
    description: `synthetic, compressibility ${compressibility}`,
    bytes: (number, length, turn = 0) => {
      const start = startOf(number, turn)
      return source.subarray(start, start + length)
    },
    matches: (number, value) => {
      for (let turn = 0; turn < TURNS; turn++) if (isAt(startOf(number, turn), value)) return true
      return false
    },
  }
}

/** 32 bits out of a number of up to 53, a turn and a seed. */
function mixed(number: number, turn: number, seed: number): number {
  let word = (number >>> 0) ^ Math.imul(Math.floor(number / 0x1_0000_0000), 0x9e3779b1) ^ seed
  word = Math.imul(word ^ (word >>> 16), 0x85ebca6b)
  word = Math.imul(word ^ (word >>> 13), 0xc2b2ae35) + Math.imul(turn, 0x9e3779b1)
  return (word ^ (word >>> 16)) >>> 0
}
