import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { BroadcastChannel } from 'node:worker_threads'
import { json, keyValue } from '@unikv/core'
import type { MemoryCapabilities } from '@unikv/core/memory'
import { wallClock } from '@unikv/core/platform'
import { threads } from '@unikv/sync'
import { expect, test } from 'vitest'

// vitest's own options let packages resolve to TypeScript sources, which only vitest can load.
const execArgv: readonly string[] = []
const fixture = (name: string): URL => new URL(`./fixtures/${name}.mjs`, import.meta.url)

test('a store that is only synchronous serves many callers from several threads, in order by key', async () => {
  const path = await mkdtemp(join(tmpdir(), 'unikv-threads-'))
  {
    await using kv = keyValue(await threads(fixture('lmdb'), { execArgv, threads: 3, settings: { path } }), [
      json(),
    ])
    expect(kv.capabilities.sync).toBe('none')
    const counts = await Promise.all(
      Array.from({ length: 60 }, async (_, i) => {
        void kv.set(`k${i}`, i)
        return kv.get(`k${i}`)
      }),
    )
    expect(counts).toEqual(Array.from({ length: 60 }, (_, i) => i))
  }
  await using again = keyValue(await threads(fixture('lmdb'), { execArgv, settings: { path } }), [json()])
  expect(await again.getMany(['k0', 'k59', 'none'])).toEqual([0, 59, undefined])
  await rm(path, { recursive: true })
})

test('errors of a thread arrive as they are, and wrong settings are refused', async () => {
  await using kv = keyValue(
    await threads(fixture('memory'), { execArgv, threads: 1, settings: { maxEntries: 1 } }),
  )
  await kv.set('a', new Uint8Array([1]))
  await expect(kv.set('b', new Uint8Array([1]))).rejects.toMatchObject({
    code: 'STORE_FULL',
    operation: 'set',
  })
  expect(await kv.get('a')).toEqual(new Uint8Array([1]))
  await expect(threads(fixture('memory'), { execArgv, exportName: 'kv' })).rejects.toMatchObject({
    code: 'INVALID_CONFIG',
  })
  await expect(threads(fixture('memory'), { execArgv, threads: 0 })).rejects.toMatchObject({
    code: 'INVALID_CONFIG',
  })
})

test('what a store tells beside a value crosses, and so does the direction of a listing', async () => {
  await using kv = keyValue(await threads<MemoryCapabilities>(fixture('memory'), { execArgv, threads: 1 }))
  expect(kv.capabilities).toMatchObject({ existed: true, scan: { reverse: true } })
  const expiresAt = Math.floor(wallClock()) + 3_600_000
  expect(await kv.incrementEntry('a', 5, { expiresAt })).toMatchObject({ value: 5, expiresAt })
  await kv.increment('b')
  const keys: string[] = []
  for await (const key of kv.keys({ reverse: true, pageSize: 1 })) keys.push(key)
  expect(keys).toEqual(['b', 'a'])
  expect((await kv.deleteMany(['a', 'c'])).map(({ existed }) => existed)).toEqual([true, false])
})

test('what does not fit the queue is refused at once', async () => {
  const store = await threads(fixture('memory'), { execArgv, threads: 1, maxQueue: 2 })
  await using kv = keyValue(store, [], { coalesce: false })
  const outcomes = await Promise.allSettled(Array.from({ length: 50 }, (_, i) => kv.get(`k${i}`)))
  const refused = outcomes.filter((outcome) => outcome.status === 'rejected')
  expect(refused.length).toBeGreaterThan(0)
  expect(refused.every(({ reason }) => (reason as { code: string }).code === 'OVERLOADED')).toBe(true)
})

test('a call that is given up in the queue never runs, one that a thread has may have, and levels arrive', async () => {
  const channel = 'unikv-threads-held'
  const gate = new BroadcastChannel(channel)
  const entered = (): Promise<unknown> =>
    new Promise((resolve) => {
      gate.onmessage = resolve
    })
  const store = await threads(fixture('held'), { execArgv, threads: 1, settings: { channel } })
  await using kv = keyValue(store, [], { coalesce: false, timeoutMs: 60_000 })
  const value = Buffer.from('v')
  const queued = new AbortController()
  const running = new AbortController()
  let isIn = entered()
  const held = kv.set('held', value)
  await isIn
  const told = ['a', 'b', 'c'].map((key) => kv.set(key, value, { signal: queued.signal }))
  const lived = kv.set('lives', value)
  queued.abort()
  for (const one of told) await expect(one).rejects.toMatchObject({ code: 'ABORTED' })
  gate.postMessage('open')
  await Promise.all([held, lived])
  expect(await kv.getMany(['a', 'b', 'c'])).toEqual([undefined, undefined, undefined])
  isIn = entered()
  const sent = kv.set('held', value, { signal: running.signal })
  await isIn
  running.abort()
  await expect(sent).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' })
  gate.postMessage('open')
  for (const consistency of ['strong', 'eventual'] as const)
    expect(Buffer.from((await kv.get('held', { consistency })) ?? []).toString()).toBe(consistency)
  gate.close()
})

test.each([
  { maxQueue: -1 },
  { maxQueue: 'x' },
  { exportName: 5 },
  { exportName: 'opensNothing' },
  { execArgv: 'x' },
])('threads refuses %j', async (wrong) => {
  await expect(
    threads(fixture('memory'), { execArgv, threads: 1, ...(wrong as object) }),
  ).rejects.toMatchObject({
    code: 'INVALID_CONFIG',
  })
})
