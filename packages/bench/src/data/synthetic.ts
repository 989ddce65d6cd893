import { StoreError } from '@unikv/core'
import { checkOptions, type OptionNames } from '@unikv/core/adapter'
import { fastRandom, type Random, subSeed } from '../random/random.ts'
import type { DataSource } from './data-source.ts'

/** The properties of synthetic objects. */
export interface SyntheticOptions {
  readonly seed: number
  /**
   * How much a compressor can save, from 0 (random bytes) to 1 (one repeated byte): gzip leaves about
   * 1 − compressibility of an object of some kilobytes.
   * @default 0.5
   */
  readonly compressibility?: number | undefined
}

const optionNames: OptionNames<SyntheticOptions> = { seed: true, compressibility: true }

/** Random and repeated bytes take turns within blocks of this size, so that small objects hold both. */
const BLOCK = 256
const REPEATED = 0x20

/**
 * Made-up objects of any size and of a chosen compressibility. Purely random text would be neither incompressible
 * nor realistic.
 *
 * @throws {StoreError} `INVALID_ARGUMENT` if the compressibility is not within 0 to 1
 */
export function synthetic(options: SyntheticOptions): DataSource {
  checkOptions('synthetic', options, optionNames, 'INVALID_ARGUMENT')
  const { seed, compressibility = 0.5 } = options
  if (!(compressibility >= 0 && compressibility <= 1)) {
    throw new StoreError('INVALID_ARGUMENT', 'The compressibility must be a number from 0 to 1.')
  }
  return {
    kind: 'synthetic',
    description: `synthetic, compressibility ${compressibility}`,
    objects: async (size, count) =>
      Array.from({ length: count }, (_, index) =>
        object(size, compressibility, fastRandom(subSeed(seed, size, index))),
      ),
  }
}

function object(size: number, compressibility: number, random: Random): Uint8Array {
  const words = Uint32Array.from({ length: Math.ceil(size / 4) }, () => random.uint32())
  const bytes = new Uint8Array(words.buffer, 0, size)
  for (let start = 0; start < size; start += BLOCK) {
    const end = Math.min(size, start + BLOCK)
    bytes.fill(REPEATED, end - Math.round((end - start) * compressibility), end)
  }
  return bytes
}
