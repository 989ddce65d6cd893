import type { Bytes } from '@unikv/core'
import type { DataSource } from '@unikv/workload/data'
import { fastRandom, subSeed } from '@unikv/workload/statistics'
import { greatestLength, type LengthLaw, lengths } from '@unikv/workload/values'

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
export async function valuePool(data: DataSource, law: LengthLaw): Promise<ValuePool> {
  const size = greatestLength(law)
  const count = Math.max(2, Math.min(mostObjects, Math.floor(poolBytes / size)))
  const objects = await data.objects(size, count)
  return {
    lengthLaw: lengths(law, fastRandom(0)).law,
    next: (seed) => {
      const drawn = lengths(law, fastRandom(subSeed(seed, 'lengths')))
      let turn = 0
      return (number) => {
        const object = objects[(number + turn++) % objects.length] as Bytes
        const length = drawn.next()
        return length === size ? object : object.subarray(0, length)
      }
    },
  }
}
