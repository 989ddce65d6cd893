import { type Bytes, type Entry, type ReadResult, type Store, StoreError } from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { describe, expect, test } from 'vitest'
import { rekey } from '../../src/index.ts'
import { NameGuard } from '../../src/names/name-guard.ts'
import { keyringVault } from '../../src/vaults/vault.ts'
import { keys } from '../records.ts'
import { closeAndDie } from './dying.ts'
import { marker, naming } from './named.ts'
import { filled, settings } from './rekeying.ts'

describe('a stack while a rekey ends', () => {
  const guardOver = (store: Store<Bytes>) => {
    let at = 0
    const guard = new NameGuard(store, {
      naming,
      vault: keyringVault({ keys, dataset: 'users' }),
      now: () => at,
    })
    return { guard, advance: (ms: number) => void (at += ms) }
  }

  test('stops writing within ten seconds after the dataset was closed, and reads on', async () => {
    const store = await filled()
    const { guard, advance } = guardOver(store)
    await guard.beforeWrite(callOptions())
    await closeAndDie(store)
    expect(() => guard.beforeWrite(callOptions())).not.toThrow()
    advance(10_000)
    expect(() => guard.beforeWrite(callOptions())).toThrow(expect.objectContaining({ code: 'UNAVAILABLE' }))
    const [entry] = await guard.read([{ key: naming.stored('user 1') }], callOptions())
    expect((entry as Entry<Bytes>).version).toBeDefined()
    await rekey(store, settings)
    expect(() => guard.beforeWrite(callOptions())).not.toThrow()
  })

  test('gets an error, not a miss, within ten seconds after the dataset was handed over', async () => {
    const store = await filled()
    const { guard, advance } = guardOver(store)
    await guard.read([{ key: naming.stored('user 1') }], callOptions())
    await rekey(store, { ...settings, finish: true })
    advance(10_000)
    expect(() => guard.read([{ key: naming.stored('user 1') }], callOptions())).toThrow(
      expect.objectContaining({ code: 'INVALID_CONFIG' }),
    )
  })

  test('gets an error, not a shorter listing, where it lists on after that', async () => {
    const store = await filled()
    const { guard, advance } = guardOver(store)
    const range = { prefix: '', pageSize: 7, values: true }
    const pages = (guard.scan(range, callOptions()) as Iterable<unknown>)[Symbol.iterator]()
    expect(pages.next()).toMatchObject({ done: false })
    await rekey(store, { ...settings, finish: true })
    advance(10_000)
    expect(() => pages.next()).toThrow(expect.objectContaining({ code: 'INVALID_CONFIG' }))
  })

  test('goes on without the marker when that alone cannot be read, once it was seen', async () => {
    const store = await filled()
    const failing: Store<Bytes> = {
      ...store,
      read: (reads, call) =>
        (store.read(reads, call) as readonly unknown[]).map((result, i) =>
          reads[i]?.key === marker ? new StoreError('UNAVAILABLE', 'Not now.') : result,
        ) as never,
    }
    expect(() => guardOver(failing).guard.read([{ key: 'x' }], callOptions())).toThrow(/Not now/)
    let isFailing = false
    const { guard, advance } = guardOver({
      ...store,
      read: (...args) => (isFailing ? failing : store).read(...args),
    })
    await guard.read([{ key: 'x' }], callOptions())
    isFailing = true
    advance(10_000)
    const reads = [{ key: naming.stored('user 1') }, { key: 'moved, perhaps' }]
    const found = [{ expiresAt: undefined }, { code: 'UNAVAILABLE' }]
    expect(await guard.read(reads, callOptions()), 'no miss').toMatchObject(found)
    const range = { prefix: '', pageSize: 7, values: true }
    expect(() => guard.scan(range, callOptions()), 'no shorter listing').toThrow(/Not now/)
  })

  test('writes nothing while the marker alone cannot be read: the dataset may be closed by now', async () => {
    const store = await filled()
    let isFailing = false
    const { guard, advance } = guardOver({
      ...store,
      read: (reads, call) =>
        (store.read(reads, call) as readonly ReadResult<Bytes>[]).map((result, i) =>
          isFailing && reads[i]?.key === marker ? new StoreError('UNAVAILABLE', 'Not now.') : result,
        ),
    })
    await guard.beforeWrite(callOptions())
    isFailing = true
    expect(() => guard.beforeWrite(callOptions())).not.toThrow()
    advance(10_000)
    expect(() => guard.beforeWrite(callOptions())).toThrow(/Not now/)
    isFailing = false
    expect(() => guard.beforeWrite(callOptions())).not.toThrow()
  })
})
