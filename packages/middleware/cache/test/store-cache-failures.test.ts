import { keyValue, passThrough } from '@unikv/core'
import { describe, expect, test } from 'vitest'
import { bytes, textOf } from './gated-cache.ts'
import { setting, unreliable } from './store-cache-setting.ts'

describe('a cache store that fails', () => {
  test('is a miss, which is counted, and fails no write', async () => {
    const flaky = unreliable()
    const { kv, c } = setting({}, [flaky.layer])
    flaky.state = 'down'
    await kv.set('a', bytes('1'))
    expect(textOf(await kv.get('a'))).toBe('1')
    expect(textOf(await kv.get('a'))).toBe('1')
    expect(c.stats().storeErrors).toBeGreaterThanOrEqual(4)
    expect(c.stats()).toMatchObject({ hits: 0, misses: 2 })
  })

  test("fails reads, but no write, with onError: 'fail'", async () => {
    const flaky = unreliable()
    const { kv } = setting({ onError: 'fail' }, [flaky.layer])
    await kv.set('a', bytes('1'))
    await kv.get('a')
    flaky.state = 'down'
    await expect(kv.get('a')).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    await kv.set('b', bytes('1'))
  })

  test('does not bring back what could not be invalidated', async () => {
    const flaky = unreliable()
    const { kv, asked } = setting({}, [flaky.layer])
    await kv.set('a', bytes('1'))
    await kv.get('a')
    flaky.state = 'down'
    await kv.set('a', bytes('2'))
    flaky.state = 'up'
    expect(textOf(await kv.get('a'))).toBe('2')
    expect((await kv.getEntry('a'))?.meta?.tier).toBe('remote')
    expect(textOf(await kv.get('a'))).toBe('2')
    expect(asked).toHaveLength(2)
  })

  test('answers with what was put there since alone while more keys could not be invalidated than are remembered', async () => {
    const flaky = unreliable()
    const { kv, c } = setting({}, [flaky.layer])
    await kv.set('old', bytes('1'))
    await kv.get('old')
    flaky.state = 'down'
    const many = Array.from({ length: 10_001 }, (_, i) => [`k${i}`, bytes('1')] as const)
    await kv.setMany([['old', bytes('2')], ...many])
    flaky.state = 'up'
    expect(textOf(await kv.get('old'))).toBe('2')
    expect(c.stats().hits).toBe(0)
    expect(textOf(await kv.get('old'))).toBe('2')
    expect(c.stats().hits).toBe(1)
  })

  test('that never answers delays a call by timeoutMs, not for ever', async () => {
    const flaky = unreliable()
    const { kv, c } = setting({ timeoutMs: 20 }, [flaky.layer])
    flaky.state = 'silent'
    await kv.set('a', bytes('1'))
    expect(textOf(await kv.get('a'))).toBe('1')
    expect(c.stats().storeErrors).toBeGreaterThan(0)
    flaky.state = 'up'
    expect(textOf(await kv.get('a'))).toBe('1')
    await kv.close()
  })

  test.each([
    ['nothing', undefined],
    ['too few results', []],
    ['what is not a result', [5, 5]],
    ['null', [null, null]],
  ])('that answers a write with %s fails no write, and hides none', async (_, nonsense) => {
    let isBroken = false
    const layer = passThrough('nonsense', {
      wrap: (inner) => ({
        write: (mutations, call) => (isBroken ? (nonsense as never) : inner.write(mutations, call)),
      }),
    })
    const { kv } = setting({ leases: false }, [layer])
    await kv.set('a', bytes('1'))
    await kv.get('a')
    isBroken = true
    await kv.set('a', bytes('2'))
    expect(textOf(await kv.get('a'))).toBe('2')
    isBroken = false
    expect(textOf(await kv.get('a'))).toBe('2')
  })

  test('or holds what is no cache record is passed by, and mended', async () => {
    const { kv, remote, c, asked } = setting({ namespace: 'cache' })
    await kv.set('a', bytes('1'))
    for (const spoilt of [
      '',
      'x',
      '\xce\x01',
      '\xce\x02'.padEnd(30),
      '\xce\x01\x09'.padEnd(30, '\0'),
      '\xce\x01\x01\xff'.padEnd(30, '\0'),
    ]) {
      await keyValue(remote).namespace('cache').set('a', Buffer.from(spoilt, 'latin1'))
      expect(textOf(await kv.get('a'))).toBe('1')
      expect(textOf(await kv.get('a'))).toBe('1')
    }
    expect(c.stats()).toMatchObject({ storeErrors: 6, hits: 6 })
    expect(asked).toHaveLength(6)
  })
})
