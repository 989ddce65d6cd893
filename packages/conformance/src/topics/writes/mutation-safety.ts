import assert from 'node:assert/strict'
import { isEntry, isStoreError } from '@unikv/core'
import { assertSame } from '../../assertions.ts'
import { spoil } from '../../spoil.ts'
import { bytes, ownResults, scan, type Topic } from '../../topic.ts'
import { readResult, readValue, readValues, scanPages, set, setAll } from '../../verbs.ts'

export const mutationSafety: Topic = {
  title: 'mutation safety',
  cases: [
    {
      title: 'a value that is changed after its write stays in the store as it was',
      run: async ({ store, kv, value }) => {
        const input = value(1)
        await set(store, 'key', input)
        spoil(input)
        assertSame(await readValue(store, 'key'), value(1))
        const second = value(2)
        await kv.set('other', second)
        spoil(second)
        assertSame(await kv.get('other'), value(2))
      },
    },
    {
      title: 'values of a batch that are changed after their write stay as they were',
      run: async ({ store, kv, value }) => {
        const inputs = [1, 2, 3].map((n) => value(n))
        await setAll(
          store,
          inputs.map((input, i) => [`key ${i}`, input]),
        )
        const seconds = [4, 5, 6].map((n) => value(n))
        await kv.setMany(seconds.map((input, i) => [`other ${i}`, input]))
        for (const input of [...inputs, ...seconds]) spoil(input)
        for (const i of [0, 1, 2]) {
          assertSame(await readValue(store, `key ${i}`), value(i + 1))
          assertSame(await kv.get(`other ${i}`), value(i + 4))
        }
      },
    },
    {
      title: 'a result that is changed by its reader changes no other',
      needs: [ownResults],
      run: async ({ store, kv, value }) => {
        await set(store, 'key', value(1))
        for (let i = 0; i < 3; i++) {
          const result = await readResult(store, 'key')
          assert.ok(isEntry(result))
          assertSame(result.value, value(1), `read ${i}`)
          spoil(result.value)
          const got = await kv.get('key')
          assertSame(got, value(1), `get ${i}`)
          spoil(got)
        }
      },
    },
    {
      title: 'results of one tick that are changed change no other',
      needs: [ownResults],
      run: async ({ kv, value }) => {
        await kv.set('key', value(1))
        const found = await Promise.all([
          kv.get('key'),
          kv.get('key'),
          kv.getEntry('key').then((entry) => entry?.value),
        ])
        spoil(found[0])
        assertSame(await kv.get('key'), value(1))
        spoil(found[1])
        assertSame(await kv.get('key'), value(1))
      },
    },
    {
      title: 'results of a batch and of a listing that are changed change no other',
      needs: [scan, ownResults],
      run: async ({ store, value }) => {
        await setAll(
          store,
          [1, 2, 3].map((n) => [`key ${n}`, value(n)]),
        )
        for (const found of await readValues(store, ['key 1', 'key 2'])) spoil(found)
        for (const page of await scanPages(store, { values: true })) {
          for (const { entry } of page.entries)
            if (entry !== undefined && !isStoreError(entry)) spoil(entry.value)
        }
        for (const n of [1, 2, 3]) assertSame(await readValue(store, `key ${n}`), value(n))
      },
    },
    {
      title: 'bytes of a small result do not uncover or share those of another',
      needs: [bytes],
      run: async ({ store }) => {
        const values = Array.from({ length: 20 }, (_, i) => Buffer.alloc(10, i))
        await setAll(
          store,
          values.map((value, i) => [`key ${i}`, value]),
        )
        const found = await readValues(
          store,
          values.map((_, i) => `key ${i}`),
        )
        for (const [i, one] of found.entries()) {
          assertSame(one, values[i])
          spoil(one)
        }
        const again = await readValues(
          store,
          values.map((_, i) => `key ${i}`),
        )
        for (const [i, one] of again.entries()) assertSame(one, values[i])
      },
    },
  ],
}
