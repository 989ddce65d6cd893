import assert from 'node:assert/strict'
import { isEntry, isStoreError } from '@unikv/core'
import { assertSame, assertSameKeys } from '../../assertions.ts'
import { listWhileChanging } from '../../churn.ts'
import { scan, type Topic } from '../../topic.ts'
import {
  assertCount,
  call,
  listKeys,
  readValue,
  removeAll,
  scanKeys,
  scanPages,
  set,
  setAll,
} from '../../verbs.ts'

const thirty = Array.from({ length: 30 }, (_, i) => `key ${i}`)

export const scans: Topic = {
  title: 'scan and cursor',
  cases: [
    {
      title: 'a scan of nothing ends without an entry',
      needs: [scan],
      run: async ({ store, kv }) => {
        assert.deepEqual(await scanKeys(store), [])
        assert.deepEqual(await scanKeys(store, { values: true, prefix: 'none' }), [])
        assert.deepEqual(await listKeys(kv), [])
        assertCount(kv, await kv.count(), 0)
        assert.equal(await kv.clear({ all: true }), 0)
      },
    },
    {
      title: 'a scan lists every live key once when nothing changes, in pages of any size',
      needs: [scan],
      run: async ({ store, value }) => {
        await setAll(
          store,
          thirty.map((key, i) => [key, value(i)]),
        )
        for (const pageSize of [1, 2, 7, 29, 30, 31, 1_000]) {
          assertSameKeys(await scanKeys(store, { pageSize }), thirty, `keys in pages of ${pageSize}`)
        }
      },
    },
    {
      title: 'no page is larger than was asked for',
      needs: [scan],
      run: async ({ store, value }) => {
        await setAll(
          store,
          thirty.map((key, i) => [key, value(i)]),
        )
        for (const pageSize of [1, 4, 10]) {
          for (const { entries } of await scanPages(store, { pageSize }))
            assert.ok(entries.length <= pageSize)
        }
      },
    },
    {
      title: 'entries carry value, version and expiry when values are asked for',
      needs: [scan],
      run: async ({ store, value, stored }) => {
        const versions = new Map<string, string>()
        for (const [i, key] of thirty.entries()) versions.set(key, await set(store, key, value(i)))
        const pages = await scanPages(store, { values: true, pageSize: 8 })
        const entries = pages.flatMap((page) => page.entries)
        assertSameKeys(
          entries.map(({ key }) => key),
          thirty,
        )
        for (const { key, entry } of entries) {
          assert.ok(
            entry !== undefined && !isStoreError(entry) && isEntry(entry),
            `${key} comes with its entry`,
          )
          assertSame(entry.value, value(thirty.indexOf(key)), `value of ${key}`)
          assert.equal(entry.version, stored(versions.get(key) as string), `version of ${key}`)
          assert.equal(entry.expiresAt, undefined)
        }
      },
    },
    {
      title: 'deleted keys are not listed',
      needs: [scan],
      run: async ({ store, value }) => {
        await setAll(
          store,
          thirty.map((key, i) => [key, value(i)]),
        )
        await removeAll(
          store,
          thirty.filter((_, i) => i % 3 !== 0),
        )
        assertSameKeys(
          await scanKeys(store, { pageSize: 4 }),
          thirty.filter((_, i) => i % 3 === 0),
        )
      },
    },
    {
      title:
        'a key that lives throughout is listed, as often as declared, although others come and go, and no other',
      needs: [scan],
      run: async (t) => {
        const { lasting, known, listed } = await listWhileChanging(t, 1)
        const missing = lasting.filter((key) => !listed.includes(key))
        const foreign = listed.filter((key) => !known.has(key))
        assert.deepEqual({ missing, foreign }, { missing: [], foreign: [] })
        if (t.capabilities.scan && t.capabilities.scan.delivery === 'once')
          assertSameKeys(
            listed.filter((key) => lasting.includes(key)),
            lasting,
          )
      },
    },
    {
      title: 'a scan that is left after its first page leaves the store as usable as before',
      needs: [scan],
      run: async ({ store, value }) => {
        await setAll(
          store,
          thirty.map((key, i) => [key, value(i)]),
        )
        for (let i = 0; i < 12; i++) {
          for await (const page of store.scan({ prefix: '', pageSize: 2, values: true }, call())) {
            assert.ok(page.entries.length <= 2)
            break
          }
        }
        await set(store, 'key 0', value(100))
        assertSame(await readValue(store, 'key 0'), value(100))
        assertSameKeys(await scanKeys(store), thirty)
      },
    },
    {
      title: 'two scans at the same time list both everything',
      needs: [scan],
      run: async ({ store, value }) => {
        await setAll(
          store,
          thirty.map((key, i) => [key, value(i)]),
        )
        const both = await Promise.all([
          scanKeys(store, { pageSize: 3 }),
          scanKeys(store, { pageSize: 4, values: true }),
        ])
        for (const listed of both) assertSameKeys(listed, thirty)
      },
    },
    {
      title: 'hundreds of keys are listed in pages of a hundred',
      needs: [scan],
      run: async ({ store, kv, value }) => {
        const many = Array.from({ length: 350 }, (_, i) => `many ${i}`)
        await setAll(
          store,
          many.map((key, i) => [key, value(i)]),
        )
        assertSameKeys(await scanKeys(store), many)
        assertCount(kv, await kv.count(), many.length)
      },
    },
  ],
}
