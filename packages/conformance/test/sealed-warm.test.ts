import { cache } from '@unikv/cache'
import { type Bytes, compose, type Entry, json, keyValue, newVersion, type Store } from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { memory } from '@unikv/core/memory'
import { encryption, keyring, open, type RecordKind } from '@unikv/encryption'
import { describe, expect, test } from 'vitest'

const keys = keyring({ primary: 'k1', keys: { k1: Uint8Array.from({ length: 32 }, (_, i) => i * 7 + 1) } })
const dataset = 'warm'

interface Run {
  readonly loaded: number | undefined
  readonly value: unknown
}

/** One life of a program whose cache loads what the last one saved, and saves at its end. */
async function run(saved: Store<Bytes>, kind: RecordKind): Promise<Run> {
  const store = compose(saved, [encryption({ dataset, keys, kind })])
  const near = cache({ freshForMs: 60_000, warm: { store, namespace: 'warm', resume: 'fresh' } })
  const kv = keyValue(memory(), [near, json()])
  await near.loaded()
  const value = await kv.get('ada')
  await kv.set('ada', 'Ada')
  await kv.get('ada')
  await kv.close()
  return { loaded: near.stats().warm?.loaded, value }
}

function lasting() {
  const store = memory()
  return { records: store.native, store: { ...store, close: async () => {} } }
}

describe('what a cache saves for a restart through encryption', () => {
  test.each<RecordKind>(['value', 'warm-restart'])(
    'is loaded again as it was sealed: kind %s',
    async (kind) => {
      const { store, records } = lasting()
      expect(await run(store, kind)).toEqual({ loaded: 0, value: undefined })
      expect(records.size).toBe(2)
      for (const [key, { value }] of records)
        expect(open(value, { keys, dataset, key, kind }).length).toBeGreaterThan(24)
      expect(await run(store, kind)).toEqual({ loaded: 1, value: 'Ada' })
    },
  )

  test('is not loaded as what it is not', async () => {
    const { store } = lasting()
    await run(store, 'value')
    expect(await run(store, 'warm-restart')).toEqual({ loaded: 0, value: undefined })
  })

  test('is not loaded by the record of another place', async () => {
    const { store, records } = lasting()
    await run(store, 'warm-restart')
    const [one, other] = [...records] as [[string, Entry<Bytes>], [string, Entry<Bytes>]]
    const swapped = [
      { key: one[0], value: other[1].value },
      { key: other[0], value: one[1].value },
    ]
    await store.write(
      swapped.map((record) => ({ type: 'set', ...record, version: newVersion() })),
      callOptions(),
    )
    expect(await run(store, 'warm-restart')).toEqual({ loaded: 0, value: undefined })
  })
})
