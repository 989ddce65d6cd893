import { testClock } from '@unikv/conformance'
import { compose, json, keyValue, passThrough } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { describe, expect, test } from 'vitest'
import { cache } from '../src/index.ts'

/** Processes with a validated local tier over one cache store; what that is asked is noted. */
function processes(count: number) {
  const clock = testClock(1_000_000)
  const source = memory({ clock })
  const remote = memory({ clock, name: 'remote' })
  const asked: string[] = []
  const sourceAsked: string[] = []
  const spy = (notes: string[]) =>
    passThrough('spy', {
      wrap: (inner) => ({
        read: (reads, call) => {
          for (const { ifNotVersion } of reads) notes.push(ifNotVersion === undefined ? 'read' : 'version?')
          return inner.read(reads, call)
        },
      }),
    })
  const all = Array.from({ length: count }, () => {
    const near = cache({ localTier: 'validated', clock })
    const store = compose(remote, [spy(asked)])
    const kv = keyValue(source, [near, json(), cache({ store, clock }), spy(sourceAsked)], { clock })
    return { near, kv }
  })
  const [one, two] = all as [(typeof all)[0], (typeof all)[0]]
  return { clock, one, two, asked, sourceAsked }
}

describe("localTier: 'validated'", () => {
  test('asks the shared tier for the version on each hit, and for nothing more', async () => {
    const { one, asked, sourceAsked } = processes(1)
    await one.kv.set('a', { n: 1 })
    await one.kv.get('a')
    asked.length = 0
    const first = await one.kv.get('a')
    expect(await one.kv.get('a')).toBe(first)
    expect(asked).toEqual(['version?', 'version?'])
    expect(sourceAsked).toEqual(['read'])
    expect(one.near.stats()).toMatchObject({ revalidations: 2 })
  })

  test('shows what another process wrote at once', async () => {
    const { one, two } = processes(2)
    await one.kv.set('a', { n: 1 })
    expect(await one.kv.get('a')).toEqual({ n: 1 })
    expect(await two.kv.get('a')).toEqual({ n: 1 })
    await two.kv.set('a', { n: 2 })
    expect(await one.kv.get('a')).toEqual({ n: 2 })
    await two.kv.delete('a')
    expect(await one.kv.get('a')).toBeUndefined()
  })

  test('fills the shared tier again when its record has ended', async () => {
    const { one, two, clock, sourceAsked } = processes(2)
    await one.kv.set('a', { n: 1 })
    await one.kv.get('a')
    clock.advance(60_000)
    await one.kv.get('a')
    expect(sourceAsked).toEqual(['read', 'version?'])
    await two.kv.get('a')
    expect(sourceAsked).toHaveLength(2)
  })

  test('counts each of many readers once, though those who came later ask again', async () => {
    const { one } = processes(1)
    await Promise.all(Array.from({ length: 10 }, () => one.kv.get('a')))
    const { hits, misses, joins } = one.near.stats()
    expect(hits + misses + joins).toBe(10)
  })

  test('refuses what would answer without asking', () => {
    expect(() => cache({ localTier: 'validated', freshForMs: 1_000 })).toThrow('freshForMs')
    expect(() => cache({ localTier: 'validated', staleIfErrorMs: 1 })).toThrow('staleIfErrorMs')
    expect(() => cache({ localTier: 'valid' as never })).toThrow('localTier')
  })

  test('refuses a store that cannot be asked for versions', () => {
    const blind = passThrough('blind', { capabilities: { conditionalRead: false }, wrap: () => ({}) })
    const stack = () => compose(memory(), [cache({ localTier: 'validated' }), blind])
    expect(stack).toThrow('cannot be asked')
  })
})
