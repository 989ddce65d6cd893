import { testClock } from '@unikv/conformance'
import { json, keyValue, StoreError } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { describe, expect, test, vi } from 'vitest'
import { cache, type ObjectCacheOptions } from '../src/index.ts'
import { bytes, textOf } from './gated-cache.ts'
import { gatedStore, turn } from './gated-store.ts'

interface Member {
  readonly team: string
}

/** Members by name, tagged with their team; `behind` writes past the cache. */
function setting(options: ObjectCacheOptions = {}) {
  const source = memory()
  const tags = vi.fn((_key: string, value: unknown) =>
    value === undefined ? ['absent'] : [`team:${(value as Member).team}`],
  )
  const layer = cache({ tags, ...options })
  const members = keyValue(source, [layer, json()])
  return { layer, tags, members, behind: keyValue(source, [json()]) }
}

describe('invalidateTags', () => {
  test('voids the entries with the tag, and no others', async () => {
    const { layer, members, behind } = setting()
    await behind.set('ada', { team: 'red' })
    await behind.set('bob', { team: 'blue' })
    await members.getMany(['ada', 'bob'])
    await behind.set('ada', { team: 'green' })
    await behind.set('bob', { team: 'green' })
    await layer.invalidateTags('team:red')
    expect(await members.get('ada')).toEqual({ team: 'green' })
    expect(await members.get('bob')).toEqual({ team: 'blue' })
    await layer.invalidateTags(['team:nobody', 'team:blue'])
    expect(await members.get('bob')).toEqual({ team: 'green' })
    expect(await members.get('bob')).toEqual({ team: 'green' })
    expect(layer.stats()).toMatchObject({ loads: 4, hits: 2, staleHits: 0, refusals: 0 })
  })

  test('voids what is loaded anew as well, each time it is called', async () => {
    const { layer, members, behind } = setting()
    for (const team of ['red', 'red', 'red']) {
      await behind.set('ada', { team })
      expect(await members.get('ada')).toEqual({ team })
      await layer.invalidateTags(`team:${team}`)
    }
    expect(layer.stats()).toMatchObject({ loads: 3, hits: 0 })
  })

  test('voids what a write through the cache has left', async () => {
    const { layer, members, behind } = setting({ onWrite: 'through' })
    await members.set('ada', { team: 'red' })
    await members.get('ada')
    expect(layer.stats().hits).toBe(1)
    await behind.set('ada', { team: 'blue' })
    await layer.invalidateTags('team:red')
    expect(await members.get('ada')).toEqual({ team: 'blue' })
  })

  test('voids known absence by the tags of absence', async () => {
    const { layer, members, behind } = setting({ absentForMs: 60_000 })
    expect(await members.get('ada')).toBeUndefined()
    await behind.set('ada', { team: 'red' })
    expect(await members.get('ada')).toBeUndefined()
    await layer.invalidateTags('absent')
    expect(await members.get('ada')).toEqual({ team: 'red' })
  })

  test('leaves nothing to be revalidated, and no stale answer', async () => {
    const clock = testClock(1_000_000)
    const source = gatedStore({ clock })
    const stale = { freshForMs: 10, staleIfErrorMs: 60_000, staleWhileRevalidateMs: 60_000 }
    const layer = cache({ tags: () => ['all'], background: () => {}, monotonicClock: clock, ...stale })
    const kv = keyValue(source, [layer], { clock })
    await source.inner.write([{ type: 'set', key: 'a', value: bytes('old'), version: 'v1' }], {} as never)
    const first = kv.get('a')
    await turn()
    await source.open()
    expect(textOf(await first)).toBe('old')
    clock.advance(20)
    await layer.invalidateTags('all')
    const second = kv.get('a')
    await turn()
    await source.open()
    expect(textOf(await second)).toBe('old')
    expect(layer.stats()).toMatchObject({ staleAnswers: 0, staleHits: 0, revalidations: 0, loads: 2 })
  })

  test('is no failure of the store, for which an entry may not stand in', async () => {
    let isDown = false
    const source = memory()
    const failing = { ...source, name: 'failing', capabilities: { ...source.capabilities } }
    const layer = cache({ tags: () => ['all'], freshForMs: 0, staleIfErrorMs: Number.POSITIVE_INFINITY })
    const kv = keyValue(
      Object.assign(Object.create(source), failing, {
        read: (...args: Parameters<typeof source.read>) => {
          if (isDown) throw new StoreError('UNAVAILABLE', 'down')
          return source.read(...args)
        },
        write: (...args: Parameters<typeof source.write>) => source.write(...args),
        close: () => source.close(),
      }),
      [layer],
    )
    await kv.set('a', bytes('1'))
    await kv.get('a')
    isDown = true
    expect(textOf(await kv.get('a'))).toBe('1')
    await layer.invalidateTags('all')
    await expect(kv.get('a')).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  })

  test('between two, a reader is told what is not older than the first', async () => {
    const source = gatedStore()
    const layer = cache({ tags: () => ['all'] })
    const kv = keyValue(source, [layer])
    const put = (text: string, version: string) =>
      source.inner.write([{ type: 'set', key: 'a', value: bytes(text), version }], {} as never)
    await put('1', 'v1')
    const starter = kv.get('a')
    await turn()
    source.look()
    await put('2', 'v2')
    await layer.invalidateTags('all')
    const between = kv.get('a')
    await turn()
    await layer.invalidateTags('all')
    await source.open()
    await turn()
    await source.open()
    expect(textOf(await starter)).toBe('1')
    expect(textOf(await between)).toBe('2')
  })

  test('asks for tags once for each load, with the key as the application knows it', async () => {
    const { tags, layer, members, behind } = setting()
    await behind.namespace('eu').set('ada', { team: 'red' })
    const eu = members.namespace('eu')
    await eu.get('ada')
    await eu.get('ada')
    await eu.revalidate('ada', 'another')
    expect(tags.mock.calls).toEqual([['ada', { team: 'red' }]])
    await layer.invalidateTags('team:red')
    await eu.get('ada')
    expect(layer.stats().loads).toBe(2)
  })

  test('a function that throws or answers no tags lets nothing be kept, and is counted', async () => {
    const answers: unknown[] = [
      'red',
      [1],
      [''],
      ['\ud800'],
      Array(65).fill('x'),
      ['x'.repeat(513)],
      undefined,
    ]
    const tags = (): never => {
      const answer = answers.shift()
      if (answer === undefined) throw new Error('no tags')
      return answer as never
    }
    const layer = cache({ tags })
    const kv = keyValue(memory(), [layer])
    await kv.set('a', bytes('1'))
    for (let i = 0; i < 7; i++) expect(textOf(await kv.get('a'))).toBe('1')
    expect(layer.stats()).toMatchObject({ hits: 0, loads: 7, refusals: 7, entries: 0 })
  })

  test('remembers 10,000 tags; what is forgotten voids too much rather than too little', async () => {
    const layer = cache({ tags: (key) => (key === 'untagged' ? [] : [key]) })
    const source = memory()
    const [kv, behind] = [keyValue(source, [layer]), keyValue(source)]
    const keys = ['a', 'b', 'untagged']
    for (const key of keys) await behind.set(key, bytes('1'))
    await kv.getMany(keys)
    for (const key of keys) await behind.set(key, bytes('2'))
    await layer.invalidateTags('a')
    for (let i = 0; i < 10_000; i++) void layer.invalidateTags(`other ${i}`)
    expect(await Promise.all(keys.map(async (key) => textOf(await kv.get(key))))).toEqual(['2', '2', '1'])
    const { loads } = layer.stats()
    await kv.getMany(keys)
    expect(layer.stats().loads).toBe(loads)
  })

  test('counts tags as bytes of their entry', async () => {
    const source = memory()
    const [plain, tagged] = [cache(), cache({ tags: () => ['t'.repeat(500)] })]
    for (const layer of [plain, tagged]) {
      const kv = keyValue(source, [layer])
      await kv.set('a', bytes('1'))
      await kv.get('a')
    }
    expect(tagged.stats().bytes as number).toBeGreaterThan((plain.stats().bytes as number) + 500)
  })

  test.each([undefined, '', [''], [1], 7, ['\ud800'], 'x'.repeat(513), null])('refuses %j', async (tags) => {
    await expect(setting().layer.invalidateTags(tags as never)).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
    })
  })

  test('of a cache without tags is refused', async () => {
    await expect(cache().invalidateTags('a')).rejects.toMatchObject({ code: 'INVALID_CONFIG' })
  })

  test.each<[ObjectCacheOptions, string]>([
    [{ tags: ['a'] as never }, '`tags` of cache() must be a function'],
    [{ tags: () => [], warm: { store: memory() } }, 'cannot be combined'],
  ])('%j is refused', (options, message) => {
    expect(() => cache(options)).toThrow(message)
  })
})
