import type { Bytes } from '@unikv/core'
import type { DataSource } from '@unikv/workload/data'
import { fastRandom, subSeed } from '@unikv/workload/statistics'
import { greatestLength, type LengthLaw, lengths, values } from '@unikv/workload/values'

/** Bytes that a pool holds about, and the most objects in it. */
const poolBytes = 16 * 1024 * 1024
const mostObjects = 256

/** The next value of a record; values are views of a pool of objects, cut to their lengths. */
export interface ValuePool {
  /** The law of the lengths in words. */
  readonly lengthLaw: string
  next(seed: number): (number: number) => Bytes
}

/** Values of a law's lengths, from the data of the run. */
export async function valuePool(data: DataSource, law: LengthLaw, seed: number): Promise<ValuePool> {
  const size = greatestLength(law)
  const count = Math.max(2, Math.min(mostObjects, Math.floor(poolBytes / size)))
  const made = values({ seed, objects: await data.objects(size, count) })
  return {
    lengthLaw: lengths(law, fastRandom(0)).law,
    next: (runSeed) => {
      const drawn = lengths(law, fastRandom(subSeed(runSeed, 'lengths')))
      let turn = 0
      return (number) => made.bytes(number, drawn.next(), turn++)
    },
  }
}
