import { keyValue } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { describe, expect, test } from 'vitest'
import { cache } from '../src/index.ts'
import { bytes, textOf } from './gated-cache.ts'
import { setting, unreliable } from './store-cache-setting.ts'

describe('an entry of a cache in a store that is no longer fresh', () => {
  test('is the answer, marked stale, while it is renewed behind, with staleWhileRevalidateMs', async () => {
    const work: Promise<unknown>[] = []
    const { kv, behind, clock, c } = setting({
      freshForMs: 100,
      staleWhileRevalidateMs: 1_000,
      background: (promise) => void work.push(promise),
    })
    await behind.set('a', bytes('1'))
    await kv.get('a')
    await Promise.all(work)
    await behind.set('a', bytes('2'))
    clock.advance(100)
    expect(await kv.getEntry('a')).toMatchObject({ meta: { tier: 'remote', stale: true } })
    await Promise.all(work)
    expect(textOf(await kv.get('a'))).toBe('2')
    expect((await kv.getEntry('a'))?.meta).toEqual({ tier: 'remote' })
    expect(c.stats()).toMatchObject({ staleAnswers: 1, loads: 2 })
  })

  test('stands in for a source that fails, with staleIfErrorMs, and for nothing else', async () => {
    const flaky = unreliable()
    const source = memory()
    let now = 1_000_000
    const clock = () => now
    const c = cache({ store: memory({ clock }), clock, freshForMs: 100, staleIfErrorMs: 60_000 })
    const kv = keyValue(source, [c, flaky.layer], { clock })
    await keyValue(source).set('a', bytes('1'))
    await kv.get('a')
    flaky.state = 'down'
    now += 60_000
    expect(await kv.getEntry('a')).toMatchObject({ meta: { tier: 'memory', stale: true } })
    await expect(kv.get('a', { consistency: 'strong' })).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    await expect(kv.get('b')).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    now += 101
    await expect(kv.get('a')).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    flaky.state = 'up'
    expect(textOf(await kv.get('a'))).toBe('1')
    expect(c.stats().staleAnswers).toBe(1)
  })

  test('is never the answer after a write through a cache', async () => {
    const flaky = unreliable()
    const { source, remote, clock } = setting()
    const options = { clock, store: remote, freshForMs: 100, staleIfErrorMs: Number.POSITIVE_INFINITY }
    const reader = keyValue(source, [cache(options), flaky.layer], { clock })
    const writer = keyValue(source, [cache(options)], { clock })
    await writer.set('a', bytes('1'))
    await reader.get('a')
    await writer.set('a', bytes('2'))
    flaky.state = 'down'
    await expect(reader.get('a')).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  })
})
