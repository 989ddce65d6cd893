import { type Bytes, compose, keyValue, passThrough, type Store, StoreError } from '@unikv/core'
import { replaceTimers } from '@unikv/core/platform'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { cache } from '../src/index.ts'
import { doubtForMs } from '../src/loads/writes-under-way.ts'
import { bytes, textOf } from './gated-cache.ts'
import { gatedStore, turn } from './gated-store.ts'
import { setting } from './store-cache-setting.ts'

describe('a fill without leases', () => {
  test('that is overtaken by a write is not made', async () => {
    const { remote, clock } = setting()
    const source = gatedStore({ clock })
    const c = cache({ clock, store: remote, leases: false })
    const stack = compose(source, [c]) as Store<Bytes>
    const reader = keyValue(stack)
    const writer = keyValue(stack)
    await keyValue(source.inner).set('a', bytes('old'))
    const reading = reader.get('a')
    await turn()
    source.look()
    await writer.delete('a')
    await source.open()
    expect(textOf(await reading)).toBe('old')
    expect(remote.native.size).toBe(0)
    const next = reader.get('a')
    await turn()
    await source.open()
    expect(await next).toBeUndefined()
  })

  test('that is on its way when a write begins is removed before the write is acknowledged', async () => {
    const { source, remote, clock } = setting()
    let land = (): void => {}
    const slowSets = passThrough('slow sets', {
      wrap: (inner) => ({
        write: async (mutations, call) => {
          if (mutations[0]?.type === 'set')
            await new Promise<void>((resolve) => {
              land = resolve
            })
          return inner.write(mutations, call)
        },
      }),
    })
    const store = compose(remote, [slowSets])
    const stack = compose(source, [cache({ clock, store, timeoutMs: 10_000, leases: false })]) as Store<Bytes>
    const reader = keyValue(stack)
    const writer = keyValue(stack)
    await keyValue(source).set('a', bytes('old'))
    const reading = reader.get('a')
    await turn()
    const writing = writer.set('a', bytes('new'))
    await turn()
    land()
    await writing
    expect(textOf(await reading)).toBe('old')
    expect(remote.native.size).toBe(0)
  })

  test('that lands after a write stopped waiting for it is not read, and removed', async () => {
    const { source, remote, clock } = setting()
    const landings: (() => void)[] = []
    const slowSets = passThrough('slow sets', {
      wrap: (inner) => ({
        write: async (mutations, call) => {
          if (mutations[0]?.type === 'set') await new Promise<void>((resolve) => void landings.push(resolve))
          return inner.write(mutations, call)
        },
      }),
    })
    const store = compose(remote, [slowSets])
    const stack = compose(source, [cache({ clock, store, timeoutMs: 20, leases: false })]) as Store<Bytes>
    const reader = keyValue(stack)
    await keyValue(source).set('a', bytes('old'))
    expect(textOf(await reader.get('a'))).toBe('old')
    await keyValue(stack).set('a', bytes('new'))
    landings[0]?.()
    await turn()
    expect(remote.native.size).toBe(0)
    expect(textOf(await reader.get('a'))).toBe('new')
    for (const land of landings) land()
  })

  test('that had no outcome and lands after a write is not read, and removed', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(replaceTimers({ setTimeout, clearTimeout }))
    onTestFinished(() => void vi.useRealTimers())
    const { source, remote, clock } = setting()
    const landings: (() => unknown)[] = []
    const lostSets = passThrough('lost sets', {
      wrap: (inner) => ({
        write: (mutations, call) => {
          if (mutations[0]?.type !== 'set') return inner.write(mutations, call)
          landings.push(() => inner.write(mutations, call))
          return mutations.map(() => new StoreError('OUTCOME_UNKNOWN', 'No answer came.'))
        },
      }),
    })
    const store = compose(remote, [lostSets])
    const kv = keyValue(source, [cache({ clock, store, leases: false })], { coalesce: false })
    await keyValue(source).set('a', bytes('old'))
    expect(textOf(await kv.get('a'))).toBe('old')
    await kv.set('a', bytes('new'))
    landings[0]?.()
    expect(textOf(await kv.get('a'))).toBe('new')
    await vi.advanceTimersByTimeAsync(doubtForMs)
    expect(remote.native.size).toBe(0)
  })
})
