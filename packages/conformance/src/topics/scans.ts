import assert from 'node:assert/strict'
import { isEntry, isStoreError } from '@unikv/core'
import { assertSame, assertSameKeys, rejectsWith } from '../assertions.ts'
import { listWhileChanging } from '../churn.ts'
import { type Need, scan, type Topic } from '../topic.ts'
import {
  assertCount,
  call,
  collect,
  listKeys,
  readValue,
  remove,
  removeAll,
  scanKeys,
  scanPages,
  set,
  setAll,
} from '../verbs.ts'

const once: Need = ({ capabilities }) => capabilities.scan !== false && capabilities.scan.delivery === 'once'

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
      title: 'a scan resumes after any of its pages, in another instance too',
      needs: [scan],
      run: async (t) => {
        await setAll(
          t.store,
          thirty.map((key, i) => [key, t.value(i)]),
        )
        const second = await t.reopened()
        const pages = await scanPages(t.store, { pageSize: 4 })
        const seen: string[] = []
        for (const { entries, resume } of pages) {
          seen.push(...entries.map(({ key }) => key))
          if (resume === undefined) continue
          assert.equal(typeof resume, 'string')
          const rest = await scanKeys(second, { pageSize: 5, resume })
          assertSameKeys(
            [...new Set([...seen, ...rest])],
            thirty,
            `keys before and after ${seen.length} of them`,
          )
        }
        assert.equal(pages.at(-1)?.resume, undefined, 'the last page has no position after it')
      },
    },
    {
      title: 'a resumed scan lists no key again',
      needs: [once],
      run: async ({ store, value }) => {
        await setAll(
          store,
          thirty.map((key, i) => [key, value(i)]),
        )
        const seen: string[] = []
        let resume: string | undefined
        do {
          const [page] = await scanPages(store, { pageSize: 4, resume })
          seen.push(...(page?.entries ?? []).map(({ key }) => key))
          resume = page?.resume
        } while (resume !== undefined)
        assertSameKeys(seen, thirty)
      },
    },
    {
      title: 'a scan resumes where it stopped although the last key it listed is gone',
      needs: [scan],
      run: async ({ store, value, capabilities }) => {
        await setAll(
          store,
          thirty.map((key, i) => [key, value(i)]),
        )
        const seen: string[] = []
        let resume: string | undefined
        do {
          const [page] = await scanPages(store, { pageSize: 4, resume })
          const keys = (page?.entries ?? []).map(({ key }) => key)
          seen.push(...keys)
          const last = keys.at(-1)
          if (last !== undefined) await remove(store, last)
          resume = page?.resume
        } while (resume !== undefined)
        const isOnce = capabilities.scan !== false && capabilities.scan.delivery === 'once'
        assertSameKeys(isOnce ? seen : [...new Set(seen)], thirty)
      },
    },
    {
      title: 'a key that lives throughout is listed although others come and go',
      needs: [scan],
      run: async (t) => {
        const { lasting, listed } = await listWhileChanging(t, 1)
        const missing = lasting.filter((key) => !listed.includes(key))
        assert.deepEqual(missing, [])
      },
    },
    {
      title: 'a key that lives throughout is listed once although others come and go',
      needs: [once],
      run: async (t) => {
        for (const seed of [2, 3]) {
          const { lasting, listed } = await listWhileChanging(t, seed)
          assertSameKeys(
            listed.filter((key) => lasting.includes(key)),
            lasting,
          )
        }
      },
    },
    {
      title: 'a key that was never there is not listed while others come and go',
      needs: [scan],
      run: async (t) => {
        const { known, listed } = await listWhileChanging(t, 4)
        assert.deepEqual(
          listed.filter((key) => !known.has(key)),
          [],
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
        for (let i = 0; i < 20; i++) {
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
      title: 'a thousand keys are listed in pages of a hundred',
      needs: [scan],
      run: async ({ store, kv, value }) => {
        const many = Array.from({ length: 1_000 }, (_, i) => `many ${i}`)
        await setAll(
          store,
          many.map((key, i) => [key, value(i)]),
        )
        assertSameKeys(await scanKeys(store), many)
        assertCount(kv, await kv.count(), 1_000)
      },
    },
    {
      title: 'a cursor of KeyValue continues after its page, and nowhere else',
      needs: [scan],
      run: async (t) => {
        await t.kv.setMany(thirty.map((key, i) => [key, t.value(i)]))
        const other = t.keyValue(await t.reopened())
        const seen: string[] = []
        for await (const { items, cursor } of t.kv.keys({ pageSize: 7, prefix: 'key' }).pages()) {
          seen.push(...items)
          if (cursor === undefined) continue
          const rest = await listKeys(other, { prefix: 'key', cursor })
          assertSameKeys([...new Set([...seen, ...rest])], thirty)
          await rejectsWith('INVALID_ARGUMENT', () => listKeys(other, { prefix: 'ke', cursor }))
          await rejectsWith('INVALID_ARGUMENT', () =>
            listKeys(other.namespace('space'), { prefix: 'key', cursor }),
          )
          for (const bad of ['', 'x', `x${cursor}`, cursor.slice(1), 1]) {
            await rejectsWith('INVALID_ARGUMENT', () =>
              listKeys(other, { prefix: 'key', cursor: bad as string }),
            )
          }
        }
        assertSameKeys(seen, thirty)
      },
    },
    {
      title: 'a limit ends a listing, and a bad limit or page size is refused',
      needs: [scan],
      run: async ({ kv, value }) => {
        await kv.setMany(thirty.map((key, i) => [key, value(i)]))
        for (const limit of [1, 7, 30, 31]) {
          const listed = await collect(kv.keys({ limit, pageSize: 5 }))
          assertCount(kv, listed.length, Math.min(limit, 30))
          assert.ok(listed.length <= limit)
        }
        for (const bad of [0, -1, 1.5, Number.NaN]) {
          await rejectsWith('INVALID_ARGUMENT', () => listKeys(kv, { limit: bad }))
          await rejectsWith('INVALID_ARGUMENT', () => listKeys(kv, { pageSize: bad }))
        }
      },
    },
  ],
}
