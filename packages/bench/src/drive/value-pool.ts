import type { Bytes } from '@unikv/core'
import type { DataSource } from '../data/data-source.ts'
import { fastRandom, subSeed } from '../random/random.ts'
import { greatestLength, type LengthLaw } from '../values/length-law.ts'
import { lengths } from '../values/lengths.ts'
import { objectCount, values } from '../values/values.ts'

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
