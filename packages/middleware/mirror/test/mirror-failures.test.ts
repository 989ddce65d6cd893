import { type Bytes, json, keyValue, type Store } from '@unikv/core'
import { describe, expect, test } from 'vitest'
import { setting } from './setting.ts'
import { unrulyStore } from './unruly-store.ts'

describe('a secondary that fails', () => {
  test.each(['failing', 'refusing', 'lost'] as const)(
    '%s: no write fails, and all is repaired',
    async (mood) => {
      const { kv, secondary, both, held, equal, events } = setting()
      await kv.set('old', '1')
      secondary.mood = mood
      for (const key of ['a', 'b', 'c']) await kv.set(key, key)
      await kv.delete('old')
      expect(both.stats().dirty).toBeGreaterThan(0)
      secondary.mood = 'well'
      await equal()
      expect(held()).toEqual([
        { a: 'a', b: 'b', c: 'c' },
        { a: 'a', b: 'b', c: 'c' },
      ])
      expect(events.filter(({ type }) => type === 'owed').length).toBeGreaterThan(0)
      expect(JSON.stringify(events)).not.toMatch(/old/)
    },
  )

  test.each([[[]], [undefined], [[null]], [[5]]])(
    'one that answers a write by %j once is repaired',
    async (nonsense) => {
      const { kv, secondary, held, equal } = setting()
      const original = { ...secondary }
      secondary.write = () => {
        Object.assign(secondary, original)
        return nonsense as never
      }
      await kv.set('a', '1')
      await equal()
      expect(held()).toEqual([{ a: '1' }, { a: '1' }])
    },
  )

  test('one that hangs is waited for once, for timeoutMs, and then left alone', async () => {
    const { kv, secondary, both, held, equal } = setting({ timeoutMs: 30, baseMs: 10_000, capMs: 10_000 })
    secondary.mood = 'hanging'
    await kv.set('a', '1')
    const asked = secondary.asked.write
    for (let i = 0; i < 50; i++) await kv.set(`b${i}`, '1')
    expect(secondary.asked.write).toBe(asked)
    expect(both.stats()).toMatchObject({ dirty: 51, secondaryFails: true })
    secondary.mood = 'well'
    secondary.release()
    await both.repair()
    await equal()
    expect(held()[0]).toEqual(held()[1])
  })

  test('a write that takes effect long after it was given up is repaired too', async () => {
    const { kv, secondary, held, equal } = setting({ timeoutMs: 10, doubtMs: 1 })
    secondary.mood = 'hanging'
    await kv.set('a', 'old')
    secondary.mood = 'well'
    await kv.set('a', 'new')
    await equal()
    expect(held()[1]).toEqual({ a: 'new' })
    const { write } = secondary.asked
    secondary.release()
    await new Promise(setImmediate)
    await equal()
    // It took effect, or nothing had to be written again.
    expect(secondary.asked.write).toBe(write + 1)
    expect(held()).toEqual([{ a: 'new' }, { a: 'new' }])
  })

  test('an answer is there before the deadline of the call, however long the secondary may take', async () => {
    const { both, secondary } = setting({ timeoutMs: 10_000 })
    secondary.mood = 'hanging'
    const kv = keyValue(both as Store<Bytes>, [json()], { timeoutMs: 200 })
    await expect(kv.set('a', 1)).resolves.toHaveProperty('version')
  })

  test('with acknowledge: primary the answer does not wait, and background gets the rest', async () => {
    const background: Promise<unknown>[] = []
    const { kv, secondary, held } = setting({
      acknowledge: 'primary',
      background: (work) => background.push(work),
    })
    secondary.mood = 'hanging'
    await kv.set('a', '1')
    expect(held()).toEqual([{ a: '1' }, {}])
    secondary.mood = 'well'
    secondary.release()
    await Promise.all(background)
    expect(held()).toEqual([{ a: '1' }, { a: '1' }])
  })

  test('a platform that takes no more work does not make a write fail', async () => {
    const { kv, held, equal } = setting({
      acknowledge: 'primary',
      background: () => {
        throw new Error('the invocation is over')
      },
    })
    await kv.set('a', '1')
    await equal()
    await new Promise(setImmediate)
    expect(held()).toEqual([{ a: '1' }, { a: '1' }])
  })

  test('bytes that their owner changes after the answer are not what the secondary gets', async () => {
    const { both, secondary } = setting({ acknowledge: 'primary', background: () => {} })
    const kv = keyValue(both)
    secondary.mood = 'hanging'
    const value = Buffer.from('right')
    await kv.set('a', value)
    value.write('wrong')
    secondary.mood = 'well'
    secondary.release()
    await both.repair()
    expect(Buffer.from(secondary.inner.native.get('a')?.value as Bytes).toString()).toBe('right')
  })

  test('an expiry that the secondary cannot keep is never dropped: the key stays owed', async () => {
    const secondary = unrulyStore('secondary', { capabilities: { ttl: false } })
    const { primary, both, events } = setting({}, { secondary })
    await keyValue(primary.inner).set('a', Buffer.from('1'), { ttlMs: 60_000 })
    await expect(both.resync()).resolves.toMatchObject({ keys: 1, copied: 0, failed: 1 })
    expect(secondary.inner.native.size).toBe(0)
    expect(both.stats().dirty).toBe(1)
    expect(events.some((event) => event.type === 'repair' && event.code === 'UNSUPPORTED')).toBe(true)
    await both.close()
  })
})

describe('close', () => {
  test('repairs what it can, closes both, and says what is left', async () => {
    const { kv, both, primary, secondary, held, events } = setting({ baseMs: 10_000, capMs: 10_000 })
    secondary.mood = 'failing'
    await kv.set('a', '1')
    secondary.mood = 'well'
    await kv.close()
    await both.close()
    expect(held()).toEqual([{ a: '1' }, { a: '1' }])
    expect([primary.asked.closed, secondary.asked.closed]).toEqual([1, 1])
    expect(events.at(-1)).toEqual({ type: 'closed', dirty: 0 })
  })

  test('does not wait for a secondary that is down, and leaves no timer', async () => {
    const before = timers()
    const { kv, both, secondary, events } = setting({ graceMs: 5_000, timeoutMs: 20 })
    secondary.mood = 'failing'
    await kv.setMany(Array.from({ length: 500 }, (_, i) => [`k${i}`, '1'] as const))
    const startedAt = performance.now()
    await both.close()
    expect(performance.now() - startedAt).toBeLessThan(1_000)
    expect(events.at(-1)).toEqual({ type: 'closed', dirty: 500 })
    expect(timers()).toBeLessThanOrEqual(before)
  })
})

function timers(): number {
  return process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length
}
