import { keyValue, passThrough } from '@unikv/core'
import { describe, expect, test } from 'vitest'
import { cache } from '../src/index.ts'
import { bytes, textOf } from './gated-cache.ts'
import { setting } from './store-cache-setting.ts'

describe('freshness', () => {
  test('ends after freshForMs; then only the version is asked for, and the record is renewed', async () => {
    const { kv, clock, asked, c } = setting({ freshForMs: 1_000 })
    await kv.set('a', bytes('1'))
    await kv.get('a')
    clock.advance(1_000)
    expect((await kv.getEntry('a'))?.meta).toBeUndefined()
    expect(asked).toEqual([['a'], ['a?']])
    clock.advance(999)
    await kv.get('a')
    expect(asked).toHaveLength(2)
    expect(c.stats()).toMatchObject({ staleHits: 1, revalidations: 1 })
  })

  test('is bounded to a minute by default, for what other processes write', async () => {
    const { kv, clock, behind } = setting()
    await kv.set('a', bytes('1'))
    await kv.get('a')
    await behind.set('a', bytes('2'))
    clock.advance(59_999)
    expect(textOf(await kv.get('a'))).toBe('1')
    clock.advance(1)
    expect(textOf(await kv.get('a'))).toBe('2')
  })

  test('works on cache stores that cannot expire records', async () => {
    const noTtl = passThrough('no ttl', { capabilities: { ttl: false }, wrap: () => ({}) })
    const { kv, clock, behind, asked } = setting({ freshForMs: 100, keepForMs: 100 }, [noTtl])
    await kv.set('mortal', bytes('1'), { ttlMs: 50 })
    await kv.set('a', bytes('1'))
    await kv.getMany(['a', 'mortal'])
    clock.advance(50)
    expect(await kv.get('mortal')).toBeUndefined()
    await behind.set('a', bytes('2'))
    clock.advance(150)
    expect(textOf(await kv.get('a'))).toBe('2')
    expect(asked.at(-1)).toEqual(['a'])
  })

  test('that another process promised for longer, or under a clock that was set back, is not believed', async () => {
    const { source, remote, clock, kv } = setting({ freshForMs: 1_000 })
    const generous = keyValue(
      source,
      [cache({ clock, store: remote, freshForMs: Number.POSITIVE_INFINITY })],
      { clock },
    )
    await generous.set('a', bytes('1'))
    await generous.get('a')
    await keyValue(source).set('a', bytes('2'))
    expect(textOf(await generous.get('a'))).toBe('1')
    expect(textOf(await kv.get('a'))).toBe('2')
  })
})
