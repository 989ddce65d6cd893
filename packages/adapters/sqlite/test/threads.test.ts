import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Worker } from 'node:worker_threads'
import { type Entry, keyValue, newVersion } from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { sync } from '@unikv/core/sync'
import { describe, expect, test } from 'vitest'
import { codeOf, type Draft, newPath, opened, set, text, write } from './fresh.ts'

describe('threads', () => {
  test('do calls as a whole: a counter that is none leaves the rest of its call undone, and no other call', async () => {
    const store = opened({ path: await newPath() })
    await set(store, 'text', 'no number')
    const [, refused, done] = await Promise.all([
      set(store, 'first', '1'),
      write(store, [
        { type: 'set', key: 'with', value: Buffer.from('x') },
        { type: 'increment', key: 'text', by: 1, initial: 0 },
      ]),
      write(store, [{ type: 'increment', key: 'n', by: 2, initial: 5 }]),
    ])
    expect(refused.map((result) => ('code' in result ? result.code : 'done'))).toEqual([
      'INVALID_VALUE',
      'INVALID_VALUE',
    ])
    expect(done).toMatchObject([{ value: 7 }])
    expect(await text(store, 'with')).toBeUndefined()
    expect(await text(store, 'first')).toBe('1')
  })

  test('that do both do reads and writes that wait together', async () => {
    const store = opened({ path: await newPath(), threads: 1 })
    await set(store, 'a', '0')
    const calls = Array.from({ length: 300 }, (_, i) =>
      i % 3 === 0 ? text(store, 'a') : set(store, `key ${i}`, '1'),
    )
    const outcomes = await Promise.allSettled(calls)
    expect(outcomes.filter(({ status }) => status === 'rejected')).toEqual([])
    expect(await text(store, 'key 1')).toBe('1')
  })

  test('read a batch from one snapshot, whoever writes in between', async () => {
    const path = await newPath()
    const keys = Array.from({ length: 200 }, (_, i) => `key ${i}`)
    const writer = opened({ path, durability: 'buffered', threads: 1 })
    const round = (n: number): Draft<Uint8Array>[] =>
      keys.map((key) => ({ type: 'set', key, value: Buffer.from(String(n)) }))
    await write(writer, round(0))
    const reader = opened({ path, threads: 1 })
    let isWriting = true
    let found = 0
    const writing = (async () => {
      for (let n = 1; n <= 40 || found <= 10; n++) await write(writer, round(n))
    })().finally(() => (isWriting = false))
    const reads = keys.map((key) => ({ key }))
    const torn: string[][] = []
    for (; isWriting; found++) {
      const entries = (await reader.read(reads, callOptions())) as readonly Entry<Uint8Array>[]
      const values = [...new Set(entries.map(({ value }) => Buffer.from(value).toString()))]
      if (values.length !== 1) torn.push(values)
    }
    await writing
    expect(torn).toEqual([])
    expect(found).toBeGreaterThan(10)
  })

  test('that die are replaced: what was under way is told truly, and the next call works', async () => {
    const path = await newPath()
    const store = opened({ path, threads: 1 })
    await set(store, 'a', '1')
    const started = new Promise<Worker>((resolve) => process.once('worker', resolve))
    const victim = opened({ path, threads: 1 })
    const opening = text(victim, 'a')
    const thread = await started
    await opening
    store.native.exec('BEGIN IMMEDIATE')
    const [written, queued] = [codeOf(() => set(victim, 'a', '2')), text(victim, 'a')]
    await new Promise((done) => setTimeout(done, 50))
    const ended = thread.terminate()
    store.native.exec('COMMIT')
    await ended
    expect(await written).toBe('OUTCOME_UNKNOWN')
    // It waited behind, and is done by the next thread.
    expect(await queued).toMatch(/^[12]$/)
    await set(victim, 'a', '3')
    expect(await text(victim, 'a')).toBe('3')
  })

  test('end a call at its deadline: what did not go to them is never done', async () => {
    const store = opened({ path: await newPath(), threads: 1 })
    await set(store, 'a', '1')
    store.native.exec('BEGIN IMMEDIATE')
    const [first, second] = [
      callOptions({ deadlineAt: performance.now() + 100 }),
      callOptions({ deadlineAt: performance.now() + 100 }),
    ]
    const codes = [
      codeOf(() => set(store, 'a', '2', undefined, first)),
      codeOf(() => set(store, 'b', '2', undefined, second)),
    ]
    const controller = new AbortController()
    const aborted = codeOf(() => text(store, 'a', callOptions({ signal: controller.signal })))
    controller.abort()
    expect(await aborted).toBe('ABORTED')
    expect(await Promise.all(codes)).toEqual(['OUTCOME_UNKNOWN', 'TIMEOUT'])
    expect([first.sent, second.sent]).toEqual([true, false])
    store.native.exec('COMMIT')
    expect(await text(store, 'b')).toBeUndefined()
  })

  test('keep no process alive, whether the store is closed or not', async () => {
    const path = await newPath()
    const built = fileURLToPath(new URL('../dist/index.js', import.meta.url))
    const script = `
      import { sqlite } from ${JSON.stringify(built)}
      const [store, other] = [0, 1].map(() => sqlite({ path: ${JSON.stringify(path)} }))
      const call = () => ({ deadlineAt: Infinity })
      await store.write([{ type: 'set', key: 'k', value: Buffer.from('v'), version: '${newVersion()}' }], call())
      console.log((await other.read([{ key: 'k' }], call()))[0].value.toString())
      await store.close(); await store.close()`
    const { status, stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
      encoding: 'utf8',
      timeout: 20_000,
    })
    expect([status, stdout.trim()]).toEqual([0, 'v'])
  })

  test('answer large values, which are handed over', async () => {
    const store = opened({ path: await newPath() })
    const value = Buffer.alloc(5_000_000, 'large ')
    const writing = write(store, [{ type: 'set', key: 'k', value }])
    value.fill(0)
    await writing
    const kv = keyValue(store)
    const found = Buffer.from((await kv.get('k')) as Uint8Array)
    expect(found.equals(Buffer.alloc(5_000_000, 'large '))).toBe(true)
    for await (const [, entry] of kv.entries()) expect(Buffer.from(entry.value).equals(found)).toBe(true)
  })

  test('close after what is under way, however often they are told to', async () => {
    for (const threads of [1, 2]) {
      const path = await newPath()
      const store = opened({ path, threads })
      await set(store, 'a', '1')
      const written = set(store, 'a', '2')
      const waiting = codeOf(() => set(store, 'a', '3'))
      await Promise.all([store.close(), store.close()])
      await written
      expect(await waiting).toBe('CLOSED')
      expect(await text(opened({ path, threads }), 'a')).toBe('2')
    }
  })

  test('refuse everything after close', async () => {
    for (const threads of [0, 1, 2]) {
      const store = opened({ path: await newPath(), threads })
      await set(store, 'a', '1')
      await store.close()
      await store.close()
      expect(await codeOf(() => text(store, 'a'))).toBe('CLOSED')
      expect(await codeOf(() => set(store, 'a', '1'))).toBe('CLOSED')
      expect(await codeOf(() => store.native)).toBe('CLOSED')
    }
  })
})

test('sync(kv) works in the caller’s thread', async () => {
  const kv = sync(keyValue(opened({ path: await newPath(), threads: 0, durability: 'buffered' })))
  kv.set('a', Buffer.from('1'))
  kv.increment('n', 3)
  expect(Buffer.from(kv.get('a') as Uint8Array).toString()).toBe('1')
  expect([...kv.keys()]).toEqual(['a', 'n'])
})
