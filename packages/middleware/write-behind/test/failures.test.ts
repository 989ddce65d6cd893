import { keyValue, newVersion, StoreError } from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { type MemoryStore, memory } from '@unikv/core/memory'
import { describe, expect, test } from 'vitest'
import { writeBehind } from '../src/index.ts'
import { behind, bytes, goesOn, started, textOf, turn } from './setting.ts'

describe('a store that fails', () => {
  test.each([
    'UNAVAILABLE',
    'OVERLOADED',
    'TIMEOUT',
    'OUTCOME_UNKNOWN',
    'STORE_FULL',
    'ACCESS_DENIED',
    'NOT_PREPARED',
  ] as const)('with %s gets the same write again, with the same version', async (code) => {
    const { kv, answer, open, writes, layer, inner } = behind()
    const { version } = await kv.set('key', bytes('one'))
    await started(writes)
    await answer(new StoreError(code, 'Not now.'))
    expect(textOf(await kv.get('key'))).toBe('one')
    await started(writes, 2)
    await open()
    await layer.flush()
    expect(writes.flat().map((one) => one.version)).toEqual([version, version])
    expect(inner.native.get('key')).toMatchObject({ version })
    expect(layer.stats()).toMatchObject({ retries: 1, lost: 0, written: 1 })
  })

  test('refuses one write for good: the others of its batch arrive, and onLost and flush tell of it', async () => {
    const lost: [string, string][] = []
    const { kv, open, refuse, layer, inner } = behind({
      onLost: (mutation, error) => lost.push([mutation.key, error.code]),
    })
    refuse(({ key }) => (key === 'bad' ? new StoreError('VALUE_TOO_LARGE', 'Too large.') : undefined))
    await Promise.all(['a', 'bad', 'b'].map((key) => kv.set(key, bytes(key))))
    const flushed = expect(layer.flush()).rejects.toMatchObject({
      code: 'VALUE_TOO_LARGE',
      operation: 'flush',
    })
    await open()
    await flushed
    await layer.flush()
    expect(lost).toEqual([['bad', 'VALUE_TOO_LARGE']])
    expect(Array.from(inner.native.keys()).toSorted()).toEqual(['a', 'b'])
    expect(layer.stats()).toMatchObject({ lost: 1, written: 2, queued: 0 })
  })

  test('refuses a write after flush has ended at its deadline: no rejection is left without a listener', async () => {
    const records = memory()
    const first = behind({ graceMs: 0, journal: records })
    await first.kv.set('bad', bytes('bad'))
    await first.kv.close()
    const unheard: unknown[] = []
    const hear = (error: unknown) => unheard.push(error)
    process.on('unhandledRejection', hear)
    // Reading the journal blocks the process for longer than flush waits.
    const blocking: MemoryStore = {
      ...records,
      scan: (range, call) => {
        for (const until = performance.now() + 10; performance.now() < until; );
        return records.scan(range, call)
      },
    }
    const { open, refuse, layer, kv, inner } = behind({ journal: blocking, onLost: () => {} })
    refuse(() => new StoreError('INVALID_VALUE', 'No.'))
    await expect(layer.flush({ timeoutMs: 5 })).rejects.toMatchObject({ code: 'TIMEOUT' })
    await open()
    await layer.flush().catch(() => {})
    await turn()
    process.off('unhandledRejection', hear)
    expect(unheard).toEqual([])
    expect(inner.native.size).toBe(0)
    await kv.close()
  })

  test('warns of a lost write where nobody is told, without its key or value', async () => {
    const warnings: Error[] = []
    const hear = (warning: Error) => warnings.push(warning)
    process.on('warning', hear)
    const { kv, open, refuse, layer } = behind()
    refuse(() => new StoreError('INVALID_VALUE', 'No.'))
    await kv.set('secret key', bytes('secret value'))
    await open()
    await layer.flush().catch(() => {})
    await turn()
    process.off('warning', hear)
    expect(warnings.map(({ message }) => message).join()).toMatch(
      /^An acknowledged write was lost \(INVALID_VALUE\)/,
    )
    expect(warnings.join()).not.toMatch(/secret/)
  })

  test('keeps flush waiting to its own deadline, with the failure as its cause', async () => {
    const { kv, answer, writes, layer } = behind({ retryMs: 10_000, retryCapMs: 10_000 })
    await kv.set('key', bytes('one'))
    await started(writes)
    await answer(new StoreError('UNAVAILABLE', 'Away.'))
    await expect(layer.flush({ timeoutMs: 20 })).rejects.toMatchObject({
      code: 'TIMEOUT',
      cause: { code: 'UNAVAILABLE' },
    })
  })
})

describe.each([[[]], [undefined], [null], [[null]], [[5]], ['text'], [[new Error('foreign')]]])(
  'a write that is answered by %j once',
  (nonsense) => {
    /** It does not say whether it took effect: here it did not. */
    const once = (inner: MemoryStore): MemoryStore => {
      let isBroken = true
      return {
        ...inner,
        write: (mutations, call) => {
          if (!isBroken) return inner.write(mutations, call)
          isBroken = false
          return nonsense as never
        },
      }
    }
    const over = (store: MemoryStore, journal?: MemoryStore) => {
      const layer = writeBehind({ background: goesOn, delayMs: 0, retryMs: 1, journal })
      return { layer, kv: keyValue(store, [layer]) }
    }

    test('by the store is sent again', async () => {
      const inner = memory()
      const { layer, kv } = over(once(inner))
      await kv.set('key', bytes('one'))
      await layer.flush()
      expect(textOf(inner.native.get('key')?.value)).toBe('one')
      expect(layer.stats()).toMatchObject({ retries: 1, lost: 0, written: 1, queued: 0 })
      await kv.close()
    })

    test('by the journal is of unknown outcome, and the next one is taken', async () => {
      const inner = memory()
      const { layer, kv } = over(inner, once(memory()))
      await expect(kv.set('key', bytes('one'))).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' })
      await kv.set('key', bytes('two'))
      await layer.flush()
      expect(textOf(inner.native.get('key')?.value)).toBe('two')
      await kv.close()
    })
  },
)

describe('close', () => {
  test('brings what is queued to the store', async () => {
    const { kv, open, inner } = behind({ delayMs: 60_000 })
    await kv.set('key', bytes('one'))
    await open()
    await kv.close()
    expect(textOf(inner.native.get('key')?.value)).toBe('one')
  })

  test('tells what it could not write within its grace', async () => {
    const lost: string[] = []
    const { kv, layer } = behind({ graceMs: 20, onLost: ({ key }) => lost.push(key) })
    await kv.set('a', bytes('1'))
    await kv.set('b', bytes('1'))
    await expect(kv.close()).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: expect.stringContaining('2 acknowledged'),
    })
    expect(lost.toSorted()).toEqual(['a', 'b'])
    expect(layer.stats().lost).toBe(2)
  })

  test('leaves it in the journal, where the next process finds it', async () => {
    const records = memory()
    const first = behind({ graceMs: 20, journal: records })
    await first.kv.set('a', bytes('1'))
    await first.kv.delete('b')
    await first.kv.close()
    expect(first.layer.stats()).toMatchObject({ leftInJournal: 2, lost: 0 })
    const second = behind({ journal: records })
    await second.inner.write(
      [{ type: 'set', key: 'b', value: bytes('old'), version: newVersion() }],
      callOptions(),
    )
    expect(await second.kv.getMany(['a', 'b'])).toEqual([bytes('1'), undefined])
    await second.open()
    await second.layer.flush()
    await second.kv.close()
    expect(Array.from(second.inner.native.keys())).toEqual(['a'])
    expect(second.layer.stats()).toMatchObject({ replayed: 2 })
    expect(records.native.size).toBe(0)
  })
})
