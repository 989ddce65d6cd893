import { testClock } from '@unikv/conformance'
import { keyValue, passThrough, StoreError } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { describe, expect, test } from 'vitest'
import { cache, type StoreCacheOptions } from '../src/index.ts'
import { bytes, textOf } from './gated-cache.ts'

/** A source that hangs on demand, below a cache in a store that other processes use, too. */
async function hanging(options: Partial<StoreCacheOptions> = {}) {
  const clock = testClock(1_000_000)
  const source = memory({ clock })
  const remote = memory({ clock })
  const reads: (() => void)[] = []
  let hangs = false
  let fails = false
  const gate = passThrough('gate', {
    capabilities: { sync: 'none' },
    wrap: (inner) => ({
      read: async (asked, call) => {
        if (hangs) await new Promise<void>((resolve) => reads.push(resolve))
        if (fails) throw new StoreError('UNAVAILABLE', 'down')
        return inner.read(asked, call)
      },
    }),
  })
  const settings = { store: remote, clock, freshForMs: 100, staleIfErrorMs: 60_000, softTimeoutMs: 20 }
  const layer = cache({ ...settings, ...options })
  const kv = keyValue(source, [layer, gate], { clock })
  const behind = keyValue(source, [], { clock })
  const elsewhere = keyValue(source, [cache({ ...settings, ...options })], { clock })
  for (const key of ['a', 'b']) await behind.set(key, bytes('1'))
  await kv.getMany(['a', 'b'])
  clock.advance(100)
  hangs = true
  /** Let all reads of the source go on, now and later. */
  const goOn = (how: { readonly failing: boolean } = { failing: false }): void => {
    hangs = false
    fails = how.failing
    for (const resume of reads.splice(0)) resume()
  }
  return { kv, layer, behind, elsewhere, goOn, reads }
}

const stale = { meta: { stale: true } }

describe('with softTimeoutMs a stale entry stands in for a source that takes its time', () => {
  test('and is still there when a load has failed that a later one had overtaken', async () => {
    const { kv, goOn, reads } = await hanging({ leaseWaitMs: 0 })
    expect(await kv.getEntry('a', { timeoutMs: 50 })).toMatchObject(stale)
    await new Promise((resolve) => setTimeout(resolve, 60))
    // Its deadline lies behind that of the load, which therefore cannot serve it.
    expect(await kv.getEntry('a', { timeoutMs: 60_000 })).toMatchObject(stale)
    expect(reads).toHaveLength(2)
    const [overtaken, later] = reads.splice(0)
    goOn({ failing: true })
    overtaken?.()
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(await kv.getEntry('a')).toMatchObject(stale)
    later?.()
  })

  test('and never for a write that was acknowledged in another process, to whoever comes after it', async () => {
    const { kv, elsewhere, goOn } = await hanging()
    const before = kv.get('a')
    await elsewhere.set('a', bytes('2'))
    const after = kv.get('a')
    await new Promise((resolve) => setTimeout(resolve, 100))
    goOn()
    expect(textOf(await after)).toBe('2')
    // Who came before the write may be told what was there then.
    expect(textOf(await before)).toMatch(/[12]/)
  })
})
