// A codec of your own: readings of a sensor in 12 bytes each, checked by a schema in both directions.
import assert from 'node:assert/strict'
import { codec, isStoreError, keyValue, StoreError } from '@unikv/core'
import { tupleKey } from '@unikv/core/keys'
import { memory } from '@unikv/core/memory'
import { z } from 'zod'

const Reading = z.object({ at: z.date(), celsius: z.number().min(-100).max(100) })
type Reading = z.infer<typeof Reading>

const readingBytes = 12

const reading = codec<Reading>({
  name: 'reading',
  encode(value) {
    const checked = Reading.safeParse(value)
    if (!checked.success) throw new StoreError('INVALID_VALUE', 'The value is not a reading.')
    const { at, celsius } = checked.data
    // Lossless or refused: a float of 32 bits does not hold every number.
    if (Math.fround(celsius) !== celsius)
      throw new StoreError('INVALID_VALUE', 'celsius needs more than 32 bits.')
    const bytes = Buffer.alloc(readingBytes)
    bytes.writeDoubleBE(at.getTime(), 0)
    bytes.writeFloatBE(celsius, 8)
    return bytes
  },
  decode(stored) {
    if (stored.length !== readingBytes) throw new StoreError('CORRUPT', 'The stored value is not a reading.')
    const view = Buffer.from(stored)
    return { at: new Date(view.readDoubleBE(0)), celsius: view.readFloatBE(8) }
  },
})

// Keys of two parts, ordered by sensor, then by time.
const readings = keyValue(memory(), [reading], { keys: tupleKey<readonly [sensor: string, hour: number]>() })

const at = new Date('2026-11-21T05:00:00Z')
for (const hour of [10, 9, 2]) await readings.set(['cellar', hour], { at, celsius: 12.5 + hour })
await readings.set(['roof', 1], { at, celsius: -3.25 })

assert.deepEqual(await readings.get(['roof', 1]), { at, celsius: -3.25 })
const hours: number[] = []
for await (const [[sensor, hour], { value }] of readings.entries({
  gte: ['cellar', 0],
  lt: ['cellar', 24],
})) {
  console.log(`${sensor} at ${hour} o'clock: ${value.celsius} degrees`)
  hours.push(hour)
}
assert.deepEqual(hours, [2, 9, 10])

const tooHot = readings.set(['roof', 2], { at, celsius: 1_000 })
await assert.rejects(tooHot, (error) => isStoreError(error) && error.code === 'INVALID_VALUE')
const tooFine = readings.set(['roof', 3], { at, celsius: 0.1 })
await assert.rejects(tooFine, (error) => isStoreError(error) && error.code === 'INVALID_VALUE')
await readings.close()
