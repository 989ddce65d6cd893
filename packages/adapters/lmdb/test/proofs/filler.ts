import { isStoreError, keyValue } from '@unikv/core'
import { lmdb } from '../../src/index.ts'

/* A process that fills a disk, goes on for a while, and makes room. */

const [path = '', sync = ''] = process.argv.slice(2)
const kv = keyValue(lmdb({ path, sync: sync === 'true' }))
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
    }
  return count
}

const set = async (i: number): Promise<unknown> => kv.set(`k${i}`, value)
const filled = await done(3_000, set)
const batches = await done(20, (i) => kv.setMany([0, 1].map((one) => [`batch ${i} ${one}`, value])))
const removed = await done(filled, (i) => kv.delete(`k${i}`))
const again = await done(filled / 2, set)
await kv.close()
process.stdout.write(JSON.stringify({ batches, isRoomMade: removed === filled && again > filled / 4 }))
