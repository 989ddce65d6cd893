import { randomBytes } from 'node:crypto'
import { keyValue } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { expect, test } from 'vitest'
import { delta } from '../src/index.ts'

/** 12 values of 300 kB, each the end of 8 deltas. */
async function chains() {
  const store = memory()
  const kv = keyValue(store, [delta()])
  const keys = Array.from({ length: 12 }, (_, i) => `doc ${i}`)
  const values = new Map<string, Uint8Array>()
  for (const key of keys) {
    let value = randomBytes(300_000)
    for (let n = 0; n < 9; n++) {
      value = Buffer.from(value)
      randomBytes(40).copy(value, 1000 * n)
      await kv.set(key, value)
    }
    values.set(key, new Uint8Array(value))
  }
  return { store, keys, values }
}

test('values of chains are put together with turns of the event loop in between, in a batch and in a page', async () => {
  const { store, keys, values } = await chains()
  for (const read of [
    async () => new Map((await fresh(store).getMany(keys)).map((value, i) => [keys[i], value])),
    async () => {
      const found = new Map<string, Uint8Array>()
      for await (const [key, { value }] of fresh(store).entries()) found.set(key, value)
      return found
    },
  ]) {
    let turns = 0
    let isOver = false
    const turn = (): void => {
      turns++
      if (!isOver) setImmediate(turn)
    }
    setImmediate(turn)
    expect(new Map(await read())).toEqual(values)
    isOver = true
    expect(turns).toBeGreaterThanOrEqual(15)
  }
})

test('a call that is over has no more values put together for it', async () => {
  const { store, keys } = await chains()
  const layer = delta()
  const kv = keyValue(store, [layer])
  const stop = new AbortController()
  const read = kv.getMany(keys, { signal: stop.signal })
  setImmediate(() => setImmediate(() => stop.abort()))
  await expect(read).rejects.toMatchObject({ code: 'ABORTED' })
  await kv.close()
  expect(layer.stats()[0]?.chainsRead).toBeLessThan(keys.length)
})

const fresh = (store: ReturnType<typeof memory>) => keyValue(store, [delta()])
