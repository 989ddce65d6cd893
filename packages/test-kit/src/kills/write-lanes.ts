import { writeSync } from 'node:fs'
import { type Bytes, isStoreError, type Store } from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { batchOf, numberOf, settle } from './lanes.ts'

function tell(what: 'began' | 'ended' | 'failed', lane: string, n: number): void {
  writeSync(3, `${JSON.stringify([what, lane, n])}\n`)
}

/**
 * Writes batches into the lanes that the arguments of this process name until it is killed or its input ends, and tells of
 * every batch before it begins and when it is acknowledged, on descriptor 3.
 */
export async function writeLanes(open: (path: string) => Store<Bytes>): Promise<void> {
  const [path = '', ...lanes] = process.argv.slice(2)
  let isOver = false
  process.stdin.on('end', () => {
    isOver = true
  })
  process.stdin.resume()
  const store = open(path)
  const write = async (lane: string): Promise<void> => {
    for (let n = (await numberOf(store, lane)) + 1; !isOver; n++) {
      tell('began', lane, n)
      const results = await store.write(batchOf(lane, n), callOptions())
      tell(results.some(isStoreError) ? 'failed' : 'ended', lane, n)
    }
  }
  await Promise.all(lanes.map(write))
  await settle(store)
  await store.close?.()
}
