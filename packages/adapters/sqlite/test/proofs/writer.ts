import { writeSync } from 'node:fs'
import { isStoreError } from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { sqlite } from '@unikv/sqlite'
import { batchOf, numberOf } from './lanes.ts'

/*
 * A process that writes batches into lanes until it is killed or its input ends, and tells of every batch before
 * it begins and when it is acknowledged, on descriptor 3.
 */

const [path = '', ...lanes] = process.argv.slice(2)

function tell(what: 'began' | 'ended' | 'failed', lane: string, n: number): void {
  writeSync(3, `${JSON.stringify([what, lane, n])}\n`)
}

let isOver = false
process.stdin.on('end', () => {
  isOver = true
})
process.stdin.resume()

const store = sqlite({ path })

async function write(lane: string): Promise<void> {
  for (let n = (await numberOf(store, lane)) + 1; !isOver; n++) {
    tell('began', lane, n)
    const results = await store.write(batchOf(lane, n), callOptions())
    tell(results.some(isStoreError) ? 'failed' : 'ended', lane, n)
  }
}

await Promise.all(lanes.map(write))
await store.close()
