import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { json, keyValue } from '@unikv/core'
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

test('what does not fit the queue is refused at once', async () => {
  const store = await threads(fixture('memory'), { execArgv, threads: 1, maxQueue: 2 })
  await using kv = keyValue(store, [], { coalesce: false })
  const outcomes = await Promise.allSettled(Array.from({ length: 50 }, (_, i) => kv.get(`k${i}`)))
  const refused = outcomes.filter((outcome) => outcome.status === 'rejected')
  expect(refused.length).toBeGreaterThan(0)
  expect(refused.every(({ reason }) => (reason as { code: string }).code === 'OVERLOADED')).toBe(true)
})
