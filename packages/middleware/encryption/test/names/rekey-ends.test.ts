import { type Bytes, type Page, type ReadResult, type ScanEntry, type Store, StoreError } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { describe, expect, test } from 'vitest'
import { type RekeyProgress, rekey } from '../../src/index.ts'
import { watchedKeys } from '../kms-doubles.ts'
import { utf8 } from '../records.ts'
import { names, naming, otherNames, stackOf, usersOf } from './named.ts'
import { contents, filled, hasNewNames, settings } from './rekeying.ts'

describe('a rekey that is ended by its signal', () => {
  test.each(['copy', 'close', 'remove'] as const)(
    'in step %s rejects with ABORTED; a later run finishes',
    async (step) => {
      const store = await filled()
      const wanted = await contents(stackOf(store))
      const stop = new AbortController()
      const onProgress = (progress: RekeyProgress): void => {
        if (progress.step === step) stop.abort()
      }
      const ended = rekey(store, { ...settings, finish: true, signal: stop.signal, onProgress })
      await expect(ended).rejects.toMatchObject({ name: 'StoreError', code: 'ABORTED' })
      if (step !== 'remove') await usersOf(store).set('user 1', utf8('0 1'))
      await rekey(store, { ...settings, finish: true })
      const found = await contents(stackOf(store, { by: otherNames }))
      expect(Object.keys(found).toSorted()).toEqual(Object.keys(wanted).toSorted())
      expect(store.native.size).toBe(30)
    },
  )

  test('while it waits for writers rejects with ABORTED at once, and they go on', async () => {
    const store = await filled()
    const stop = new AbortController()
    const waiting: Store<Bytes> = {
      ...store,
      write: (mutations, call) => {
        const [first] = mutations
        // The dataset is closed: what comes now is the pause.
        if (first?.type === 'set' && Buffer.from(first.value)[13] === 2) setImmediate(() => stop.abort())
        return store.write(mutations, call)
      },
    }
    const ended = rekey(waiting, { ...settings, finish: true, settleMs: 3_600_000, signal: stop.signal })
    await expect(ended).rejects.toMatchObject({ name: 'StoreError', code: 'ABORTED' })
    await usersOf(store).set('user 1', utf8('again'))
    expect(await usersOf(store).get('user 1')).toEqual(Buffer.from('again'))
  })
})

describe('a rekey that another one has overtaken', () => {
  /** A run that stops after the first page of a walk until it is let go, and then sees what is there by then. */
  function stalled(
    store: Store<Bytes>,
    walk = 1,
  ): { readonly store: Store<Bytes>; readonly goOn: () => void } {
    let goOn = (): void => undefined
    let walks = 0
    const waits = new Promise<void>((resolve) => {
      goOn = resolve
    })
    return {
      goOn,
      store: {
        ...store,
        scan: async function* (range, call) {
          walks++
          for (let resume = range.resume, isEnd = false; !isEnd; ) {
            const [page] = store.scan({ ...range, resume }, call) as Iterable<Page<Bytes>>
            if (page !== undefined) yield page
            if (walks >= walk) await waits
            resume = page?.resume
            isEnd = resume === undefined
          }
        },
      },
    }
  }

  test.each([
    { finish: false, walk: 1, conditionalWrite: true },
    { finish: true, walk: 1, conditionalWrite: true },
    { finish: true, walk: 2, conditionalWrite: true },
    { finish: true, walk: 2, conditionalWrite: false },
  ] as const)(
    'changes nothing any more, whatever was written meanwhile: %o',
    async ({ finish, walk, conditionalWrite }) => {
      const filledStore = await filled()
      const capabilities = { ...filledStore.capabilities, conditionalWrite }
      const store = { ...filledStore, capabilities } as unknown as typeof filledStore
      const late = stalled(store, walk)
      const overtaken = rekey(late.store, { ...settings, finish })
      await new Promise(setImmediate)
      await rekey(store, { ...settings, finish: true })
      const users = usersOf(store, { by: otherNames })
      await users.set('user 2', utf8('changed'))
      await users.delete('user 3')
      const wanted = await contents(stackOf(store, { by: otherNames }))
      late.goOn()
      await expect(overtaken).rejects.toMatchObject({ code: 'CONDITION_FAILED' })
      expect(await contents(stackOf(store, { by: otherNames }))).toEqual(wanted)
    },
  )

  test('while it removes old names, removes none of a later rekey back to them', async () => {
    const store = await filled()
    const late = stalled(store)
    await rekey(store, settings)
    // Handed over by a run that dies then; the next one begins to remove, and stands still.
    let isDead = false
    const dying: Store<Bytes> = {
      ...store,
      write: (mutations, call) => {
        if (isDead) throw new StoreError('UNAVAILABLE', 'Killed.')
        const results = store.write(mutations, call)
        isDead = hasNewNames(store)
        return results
      },
    }
    await expect(rekey(dying, { ...settings, finish: true })).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    const overtaken = rekey(late.store, { ...settings, finish: true })
    await new Promise((resolve) => void setTimeout(resolve, 20))
    await rekey(store, { ...settings, from: otherNames, to: names, finish: true })
    const wanted = await contents(stackOf(store))
    expect(Object.keys(wanted)).toHaveLength(29)
    late.goOn()
    await expect(overtaken).rejects.toMatchObject({ code: 'CONDITION_FAILED' })
    expect(await contents(stackOf(store))).toEqual(wanted)
  })
})

test('a rekey reads strongly what decides, where a store has reads that are not', async () => {
  const store = await filled()
  const before = new Map(store.native)
  const replicated: Store<Bytes> = {
    ...store,
    capabilities: { ...store.capabilities, isolation: 'read-committed', consistency: ['eventual', 'strong'] },
    read: (reads, call) => {
      if (call.consistency === 'strong') return store.read(reads, call)
      // A replica that has seen nothing since.
      return reads.map(({ key }) => before.get(key)) as readonly ReadResult<Bytes>[]
    },
  }
  const wanted = await contents(stackOf(store))
  const report = await rekey(replicated, { ...settings, finish: true })
  expect(report).toMatchObject({ finished: true, changes: 29, removed: 29 })
  expect(await contents(stackOf(store, { by: otherNames }))).toEqual(wanted)
})

describe('a rekey over what fails for a moment', () => {
  test("does not take it for unreadable, also with unreadable: 'leave'", async () => {
    const store = await filled()
    const failing: Store<Bytes> = {
      ...store,
      *scan(range, call) {
        for (const page of store.scan(range, call) as Iterable<Page<Bytes>>)
          yield { ...page, entries: page.entries.map(brokenAt(naming.stored('user 1'))) }
      },
    }
    const leave = { ...settings, finish: true, unreadable: 'leave' } as const
    await expect(rekey(failing, leave)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    expect(hasNewNames(store)).toBe(false)
    expect(await rekey(store, leave)).toMatchObject({ finished: true, unreadable: 0 })
    expect(await usersOf(store, { by: otherNames }).get('user 1')).toEqual(Buffer.from('0 1'))
  })

  test('such as a key management service leaves everything under its old names', async () => {
    const store = memory()
    const { kms, keys } = watchedKeys()
    const users = usersOf(store, { ring: keys })
    await users.setMany(Array.from({ length: 20 }, (_, i) => [`user ${i}`, utf8(`${i}`)] as const))
    const leave = { ...settings, keys, finish: true, unreadable: 'leave' } as const
    keys.forget()
    kms.before = () => Promise.reject(new Error('down'))
    await expect(rekey(store, leave)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    kms.before = async () => undefined
    expect(await users.count()).toBe(20)
    expect(await rekey(store, leave)).toMatchObject({ finished: true, changes: 20, removed: 20 })
    const after = usersOf(store, { ring: keys, by: otherNames })
    expect(await after.get('user 7')).toEqual(Buffer.from('7'))
    expect(kms.calls, 'a data key for all, and one question that failed').toEqual({
      generate: 2,
      encrypt: 0,
      decrypt: 2,
    })
  })
})

/** An entry as a store shows it that cannot read the record of one key now. */
function brokenAt(stored: string): (found: ScanEntry<Bytes>) => ScanEntry<Bytes> {
  return (found) =>
    found.key === stored ? { ...found, entry: new StoreError('UNAVAILABLE', 'Not now.') } : found
}
