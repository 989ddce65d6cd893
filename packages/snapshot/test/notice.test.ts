import { PassThrough } from 'node:stream'
import { isEntry, keyValue, text } from '@unikv/core'
import { callOptions, copyNotice } from '@unikv/core/adapter'
import { type MemoryStore, memory } from '@unikv/core/memory'
import { expect, test } from 'vitest'
import { copy, snapshot } from '../src/index.ts'
import { contents } from './tools.ts'

/** A source that is read for longer than the first notice takes, at one record a second. */
async function source(): Promise<MemoryStore> {
  const store = memory()
  const kv = keyValue(store, [text()])
  await kv.setMany(Array.from({ length: 30 }, (_, i) => [`key ${i}`, 'value'] as const))
  return store
}

const noticeIn = async (store: MemoryStore): Promise<boolean> => {
  const [found] = await store.read([{ key: copyNotice.key }], callOptions())
  return found !== undefined && isEntry(found)
}

test('a copy tells that it runs in both of its stores, and leaves nothing of that behind', async () => {
  const from = await source()
  const to = memory()
  const stop = new AbortController()
  const copied = copy(from, to, { recordsPerSecond: 1, signal: stop.signal })
  const notices = () => Promise.all([from, to].map(noticeIn))
  await expect.poll(notices, { timeout: 30_000, interval: 50 }).toEqual([true, true])
  stop.abort()
  await expect(copied).rejects.toMatchObject({ code: 'ABORTED' })
  expect(await notices()).toEqual([false, false])
  await copy(from, to, { resume: true })
  expect(await contents(to)).toEqual(await contents(from))
})

test('a source that refuses writes is read all the same', async () => {
  const from = await source()
  let writes = 0
  const readOnly: MemoryStore = {
    ...from,
    write: () => {
      writes += 1
      throw new Error('read-only')
    },
  }
  const stop = new AbortController()
  const taken = snapshot(readOnly, new PassThrough().resume(), { recordsPerSecond: 1, signal: stop.signal })
  await expect.poll(() => writes, { timeout: 30_000, interval: 50 }).toBeGreaterThan(0)
  stop.abort()
  await expect(taken).rejects.toMatchObject({ code: 'ABORTED' })
  expect(await noticeIn(from)).toBe(false)
  const whole = await snapshot(readOnly, new PassThrough().resume())
  expect(whole.records).toBe(30)
})
