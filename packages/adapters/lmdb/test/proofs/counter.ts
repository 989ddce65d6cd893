import { type Bytes, isEntry, isStoreError, newVersion, type ReadResult } from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { lmdb } from '../../src/index.ts'

/*
 * A process that counts in some keys, each by itself, until its input ends, and looks after each acknowledgement whether
 * the number is there. It tells how many were, and what was not.
 */

const [path = '', ...keys] = process.argv.slice(2)
const store = lmdb({ path })
let isOver = false
process.stdin.on('end', () => {
  isOver = true
})
process.stdin.resume()

function numberOf(key: string): number {
  const [found] = store.read([{ key }], callOptions()) as readonly ReadResult<Bytes>[]
  if (isStoreError(found)) throw found
  return isEntry(found) ? Number(Buffer.from(found.value).toString()) : 0
}

async function set(key: string, n: number): Promise<void> {
  const mutation = { type: 'set', key, value: Buffer.from(String(n)), version: newVersion() } as const
  const [result] = await store.write([mutation], callOptions())
  if (isStoreError(result)) throw result
}

async function count(key: string): Promise<number> {
  let n = 0
  while (!isOver) {
    await set(key, ++n)
    const found = numberOf(key)
    if (found !== n) process.stdout.write(`${key}: ${found} instead of ${n}\n`)
  }
  return n
}

const counts = await Promise.all(keys.map(count))
process.stdout.write(`${counts.reduce((sum, n) => sum + n)} numbers\n`)
await store.close()
