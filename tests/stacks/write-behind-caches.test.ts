import { cache, type InvalidationBus } from '@unikv/cache'
import { compose, keyValue, StoreError, text, type WriteResult } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { writeBehind } from '@unikv/write-behind'
import { describe, expect, test } from 'vitest'

test('a cache above answers what is queued, also while the store is away', async () => {
  const inner = memory()
  await keyValue(inner, [text()]).set('other', 'stored')
  const capabilities = { ...inner.capabilities, sync: 'none' as const }
  const away = { ...inner, capabilities, write: () => new Promise<never>(() => {}) } as never as typeof inner
  const layer = writeBehind({ background: () => {}, graceMs: 1, onLost: () => {} })
  const kv = keyValue(away, [cache(), text(), layer])
  await kv.set('k', 'queued')
  expect(await kv.getMany(['k', 'other'])).toEqual(['queued', 'stored'])
  const strong = kv.get('k', { consistency: 'strong', timeoutMs: 20 })
  await expect(strong).rejects.toMatchObject({ code: 'TIMEOUT' })
  await kv.close().catch(() => {})
})

describe('a cache that others see', () => {
  const bus = { name: 'bus', connect: () => ({ publish: async () => {}, close: async () => {} }) } as never
  const early = () => writeBehind({ background: () => {} })
  test.each([
    ['a cache store', () => cache({ store: memory() })],
    ['a bus', () => cache({ bus: bus as InvalidationBus, maxStaleMs: 100 })],
  ])('is refused above a queue of writes: %s', (_, shared) => {
    const refusal = expect.objectContaining({ code: 'INVALID_CONFIG' })
    const stacks = [
      () => keyValue(memory(), [text(), shared(), early()] as never),
      () => keyValue(compose(memory(), [early()]), [text(), shared()] as never),
    ]
    for (const stack of stacks) expect(stack).toThrow(refusal)
  })

  test('is taken where writes are answered when the store has them, and below the queue', async () => {
    const above = keyValue(memory(), [text(), cache({ store: memory() }), writeBehind()])
    const below = keyValue(memory(), [text(), early(), cache({ store: memory() })])
    for (const kv of [above, below]) {
      await kv.set('k', 'v')
      expect(await kv.get('k')).toBe('v')
      await kv.close()
    }
  })
})

test.each(['through', 'around'] as const)(
  'a cache above that writes %s keeps no value that the store refused for good',
  async (onWrite) => {
    const inner = memory()
    let isOpen = false
    const store: typeof inner = {
      ...inner,
      write: (mutations, call) => {
        if (!isOpen) throw new StoreError('UNAVAILABLE', 'Away.')
        const refused = (key: string) => key === 'lost' && new StoreError('VALUE_TOO_LARGE', 'No.')
        return mutations.map((one) => refused(one.key) || (inner.write([one], call) as [WriteResult])[0])
      },
    }
    const layer = writeBehind({ background: () => {}, delayMs: 0, retryMs: 1, onLost: () => {} })
    const kv = keyValue(store, [cache({ onWrite }), text(), layer])
    for (const key of ['lost', 'other']) await kv.set(key, '1')
    expect(await kv.getMany(['lost', 'other'])).toEqual(['1', '1'])
    isOpen = true
    await layer.flush().catch(() => {})
    expect(await kv.getMany(['lost', 'other'])).toEqual([undefined, '1'])
    await kv.close()
  },
)

test('a cache with a warm restart saves no write that the queue loses when it is closed', async () => {
  const [inner, files] = [memory(), memory()]
  const away = async (): Promise<readonly WriteResult[]> => {
    throw new StoreError('UNAVAILABLE', 'Away.')
  }
  const capabilities = { ...inner.capabilities, sync: 'none' as const }
  const open = (write: (...args: Parameters<typeof inner.write>) => unknown) => {
    const layer = writeBehind({ background: () => {}, graceMs: 1, onLost: () => {} })
    const warm = { store: files, namespace: 'warm', resume: 'fresh' as const }
    const near = cache({ warm, onWrite: 'through' })
    const store = { ...inner, capabilities, write } as never as typeof inner
    return { near, kv: keyValue(store, [near, text(), layer]) }
  }
  const first = open(away)
  await first.kv.set('lost', '1')
  expect(await first.kv.get('lost')).toBe('1')
  await expect(first.kv.close()).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  const second = open((...args: Parameters<typeof inner.write>) => inner.write(...args))
  await second.near.loaded()
  expect(await second.kv.get('lost')).toBeUndefined()
  await second.kv.close()
})
