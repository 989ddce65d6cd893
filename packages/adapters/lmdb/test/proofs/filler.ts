import { setImmediate as turn } from 'node:timers/promises'
import { isStoreError, keyValue } from '@unikv/core'
import { lmdb } from '../../src/index.ts'

/* A process that fills a disk, goes on for a while, and makes room. */

const [path = '', sync = ''] = process.argv.slice(2)
let now = 1_000
const clock = (): number => now
const kv = keyValue(lmdb({ path, sync: sync === 'true', clock }), [], { clock })
const value = Buffer.alloc(1_000)

/** How many of these writes were done; the others were refused, as the store is full. */
async function done(writes: number, write: (i: number) => Promise<unknown>): Promise<number> {
  let count = 0
  for (let i = 0; i < writes; i++)
    try {
      await write(i)
      count++
    } catch (error) {
      if (!isStoreError(error) || error.code !== 'STORE_FULL') throw error
      await turn()
    }
  return count
}

const set = async (i: number): Promise<unknown> => kv.set(`k${i}`, value)
const filled = await done(1_000, set)
const batches = await done(20, (i) => kv.setMany([0, 1].map((one) => [`batch ${i} ${one}`, value])))
const removed = await done(filled, (i) => kv.delete(`k${i}`))
const again = await done(filled / 2, set)
await done(1_000, (i) => kv.set(`old ${i}`, value, { ttlMs: 1_000 }))
now += 1_000
const late = await done(500, (i) => kv.set(`late ${i}`, value))
await kv.close()
process.stdout.write(
  JSON.stringify({ batches, isRoomMade: removed === filled && again > filled / 4 && late > 0 }),
)
