import { testClock } from '@unikv/conformance'
import { type Bytes, compose, keyValue, type PassThrough, passThrough, type Store } from '@unikv/core'
import { callOptions, namespacePrefix } from '@unikv/core/adapter'
import { memory } from '@unikv/core/memory'
import { describe, expect, test } from 'vitest'
import { cache, type StoreCacheOptions } from '../src/index.ts'
import { bytes, textOf } from './gated-cache.ts'
import { gatedStore, turn } from './gated-store.ts'
import { unreliable } from './store-cache-setting.ts'

const tags = (key: string): readonly string[] => (key === 'untagged' ? [] : [`key:${key}`, 'all'])
const recordKey = `${namespacePrefix(['cache'])}a`

/** Processes over one source, whose reads wait at a gate if it is gated, and one cache store. */
function processes({ isGated = false, ...options }: Partial<StoreCacheOptions> & { isGated?: boolean } = {}) {
  const clock = testClock(1_000_000)
  const gate = gatedStore({ clock })
  const source: Store<Bytes> = isGated ? gate : gate.inner
  const remote = memory({ clock, name: 'remote' })
  const calls: string[] = []
  const spy: PassThrough = passThrough('spy', {
    wrap: (inner) => ({
      read: (reads, call) => {
        calls.push(`read ${reads.length}`)
        return inner.read(reads, call)
      },
      write: (mutations, call) => {
        calls.push(`write ${mutations.length}`)
        return inner.write(mutations, call)
      },
    }),
  })
  const process = (own: Partial<StoreCacheOptions> = {}) => {
    const link = unreliable()
    const store = compose(remote, [link.layer, spy])
    const layer = cache({ clock, tags, store, namespace: 'cache', ...options, ...own })
    const stack = compose(source, [layer]) as Store<Bytes>
    return { layer, link, stack, kv: keyValue(stack, [], { clock }) }
  }
  const behind = keyValue(gate.inner, [], { clock })
  return { clock, gate, remote, calls, process, one: process(), two: process(), behind }
}

describe('invalidateTags of a cache in a store', () => {
  test('voids the records with the tag for all processes, and no others', async () => {
    const { one, two, behind } = processes()
    const keys = ['a', 'b', 'untagged']
    for (const key of keys) await behind.set(key, bytes('1'))
    await one.kv.getMany(keys)
    for (const key of keys) await behind.set(key, bytes('2'))
    await two.layer.invalidateTags('key:a')
    for (const { kv } of [one, two]) expect(await kv.getMany(keys).then(texts)).toEqual(['2', '1', '1'])
    await two.layer.invalidateTags(new Set(['all', 'nothing']))
    for (const { kv } of [one, two]) expect(await kv.getMany(keys).then(texts)).toEqual(['2', '2', '1'])
    expect(two.layer.stats()).toMatchObject({ loads: 0, hits: 6 })
  })

  test('leaves a hit one call of the cache store, which asks for record and tags', async () => {
    const { one, two, behind, calls } = processes()
    await behind.set('a', bytes('1'))
    await one.kv.get('a')
    expect(calls).toEqual(['read 3', 'write 2', 'write 1', 'write 1'])
    calls.length = 0
    await two.kv.get('a')
    await two.kv.get('a')
    expect(calls).toEqual(['read 3', 'read 3'])
    calls.length = 0
    await one.layer.invalidateTags(['all', 'key:a'])
    await one.kv.get('a')
    expect(calls).toEqual(['write 2', 'read 3', 'write 1', 'write 1'])
  })

  test.each([0, 60_000])(
    'lets nobody join a load of before; absence is kept for %d ms',
    async (absentForMs) => {
      const { one, behind, gate } = processes({ isGated: true, absentForMs })
      const early = one.kv.get('a')
      await turn()
      gate.look()
      await behind.set('a', bytes('2'))
      await one.layer.invalidateTags('all')
      const late = one.kv.get('a')
      await turn()
      await gate.open()
      expect(await early).toBeUndefined()
      await turn()
      await gate.open()
      expect(textOf(await late)).toBe('2')
    },
  )

  test('is seen at once by a cache above that validates', async () => {
    const { clock, one, behind, gate } = processes()
    const near = cache({ localTier: 'validated', clock })
    const kv = keyValue(gate.inner, [near, one.layer], { clock })
    await behind.set('a', bytes('1'))
    for (let i = 0; i < 3; i++) await kv.get('a')
    await behind.set('a', bytes('2'))
    expect(textOf(await kv.get('a'))).toBe('1')
    await one.layer.invalidateTags('key:a')
    expect(textOf(await kv.get('a'))).toBe('2')
    expect(near.stats().revalidations).toBeGreaterThan(0)
  })

  test.each(['down', 'silent'] as const)(
    'is rejected if the cache store is %s, and may be tried again',
    async (state) => {
      const { one, two, behind } = processes({ timeoutMs: 20 })
      await behind.set('a', bytes('1'))
      await one.kv.get('a')
      await behind.set('a', bytes('2'))
      two.link.state = state
      const code = state === 'down' ? 'UNAVAILABLE' : 'OUTCOME_UNKNOWN'
      await expect(two.layer.invalidateTags('all')).rejects.toMatchObject({ code, message: /Try again/ })
      two.link.state = 'up'
      await two.layer.invalidateTags('all')
      expect(textOf(await one.kv.get('a'))).toBe('2')
    },
  )

  test('a tag whose record is gone voids, and is made again', async () => {
    const { one, remote, behind } = processes({ freshForMs: Number.POSITIVE_INFINITY })
    await behind.set('a', bytes('1'))
    await one.kv.get('a')
    await behind.set('a', bytes('2'))
    const gone = Array.from(remote.native.keys()).filter((key) => key.startsWith('\u0000t'))
    expect(gone).toHaveLength(2)
    await remote.write([{ type: 'delete', key: gone[0] as string, version: 'x' }], callOptions())
    expect(textOf(await one.kv.get('a'))).toBe('2')
    await behind.set('a', bytes('3'))
    expect(textOf(await one.kv.get('a'))).toBe('2')
    expect(one.layer.stats().loads).toBe(2)
  })

  test('a record that its writer has not stamped is none, and one that its reader cannot check is none', async () => {
    const { process, behind } = processes()
    const [tagged, plain] = [process(), process({ tags: undefined })]
    await behind.set('a', bytes('1'))
    for (const { kv } of [plain, tagged, plain]) await kv.get('a')
    expect([plain.layer.stats().loads, tagged.layer.stats().loads]).toEqual([2, 1])
    expect(plain.layer.stats().storeErrors).toBe(0)
  })

  test('keys without tags have records as ever', async () => {
    const { one, remote, behind } = processes()
    for (const key of ['a', 'untagged']) await behind.set(key, bytes('1'))
    await one.kv.getMany(['a', 'untagged'])
    const formats = await Promise.all(
      [recordKey, `${namespacePrefix(['cache'])}untagged`].map(async (key) => {
        const [result] = await remote.read([{ key }], callOptions())
        return (result as { readonly value: Bytes }).value[1]
      }),
    )
    expect(formats).toEqual([3, 1])
  })

  test.each<[Partial<StoreCacheOptions>, string]>([
    [{ tags: [] as never }, '`tags` of cache() must be a function'],
    [{ leases: false }, 'need leases'],
    [{ onWrite: 'through' }, 'cannot be combined'],
  ])('%j is refused', (options, message) => {
    expect(() => cache({ store: memory(), tags, ...options })).toThrow(message)
  })
})

function texts(values: readonly (Bytes | undefined)[]): readonly (string | undefined)[] {
  return values.map(textOf)
}
