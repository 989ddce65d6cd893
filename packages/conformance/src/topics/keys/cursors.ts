import assert from 'node:assert/strict'
import { assertSameKeys, rejectsWith } from '../../assertions.ts'
import { listsOnce, ordered, scan, type Topic } from '../../topic.ts'
import { assertCount, collect, listKeys, remove, scanKeys, scanPages, setAll } from '../../verbs.ts'

const thirty = Array.from({ length: 30 }, (_, i) => `key ${i}`)

export const cursors: Topic = {
  title: 'resuming a scan',
  cases: [
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
      needs: [listsOnce],
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
      title: 'a cursor of a range continues in that range alone',
      needs: [ordered],
      run: async ({ kv, value }) => {
        await kv.setMany(thirty.map((key, i) => [key, value(i)]))
        const range = { gte: 'key 1', lt: 'key 3', pageSize: 4 }
        const whole = await listKeys(kv, range)
        for await (const { items, cursor } of kv.keys(range).pages()) {
          if (cursor === undefined) return
          const at = whole.indexOf(items.at(-1) as string)
          assert.deepEqual(await listKeys(kv, { ...range, cursor }), whole.slice(at + 1))
          for (const other of [{ gte: 'key 2' }, { lt: 'key 4' }, { gte: undefined }, { lt: undefined }]) {
            await rejectsWith('INVALID_ARGUMENT', () => listKeys(kv, { ...range, ...other, cursor }))
          }
        }
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
