import assert from 'node:assert/strict'
import { isStoreError } from '@unikv/core'
import { assertAllSame, assertSame } from '../assertions.ts'
import { spoil } from '../spoil.ts'
import { bytes, conditionalWrite, ownResults, scan, type Topic } from '../topic.ts'
import { collect } from '../verbs.ts'

const many = Array.from({ length: 40 }, (_, i) => i)

export const ownership: Topic = {
  title: 'whose values are',
  cases: [
    {
      title: 'values that are changed right after many calls at once are stored as they were',
      run: async ({ kv, value }) => {
        await kv.set('key', value(0))
        const written = many.map((n) => {
          const input = value(n)
          const call = kv.set(`key ${n}`, input)
          spoil(input)
          return call
        })
        await Promise.all(written)
        assertAllSame(
          await kv.getMany(many.map((n) => `key ${n}`)),
          many.map((n) => value(n)),
        )
      },
    },
    {
      title: 'one buffer that is filled anew for each of many sets leaves each as it was',
      needs: [bytes],
      run: async ({ kv, value }) => {
        await kv.set('key', value(0))
        const buffer = Buffer.alloc(8)
        const written = many.map((n) => {
          buffer.fill(n)
          return kv.set(`key ${n}`, buffer)
        })
        await Promise.all(written)
        assertAllSame(
          await Promise.all(many.map((n) => kv.get(`key ${n}`))),
          many.map((n) => Buffer.alloc(8, n)),
        )
      },
    },
    {
      title: 'a value that is changed while its set waits for its turn is stored as it was',
      run: async ({ kv, value }) => {
        await kv.set('key', value(0))
        for (const before of [() => kv.get('key'), () => kv.set('key', value(1)), () => kv.has('key')]) {
          const input = value(2)
          const inputs = [value(3), value(4)]
          const calls = [
            before(),
            kv.set('key', input),
            kv.get('key'),
            kv.setMany(inputs.map((one, i) => [i === 0 ? 'key' : 'other', one])),
          ]
          for (const one of [input, ...inputs]) spoil(one)
          const [, , between] = await Promise.all(calls)
          assertSame(between, value(2))
          assertAllSame(await kv.getMany(['key', 'other']), [value(3), value(4)])
        }
      },
    },
    {
      title: 'a value that is changed while the store opens is stored as it was',
      run: async (t) => {
        const kv = t.keyValue(await t.another())
        const [input, inputs] = [t.value(1), [t.value(2), t.value(3)]]
        const calls = [kv.set('key', input), kv.setMany(inputs.map((one, i) => [`other ${i}`, one]))]
        for (const one of [input, ...inputs]) spoil(one)
        await Promise.all(calls)
        assertAllSame(
          await kv.getMany(['key', 'other 0', 'other 1']),
          [1, 2, 3].map((n) => t.value(n)),
        )
      },
    },
    {
      title: 'what update stores is what its function returned',
      needs: [conditionalWrite],
      run: async ({ kv, value }) => {
        await kv.set('key', value(0))
        const kept: unknown[] = []
        const calls = many.slice(0, 5).map((n) =>
          kv.update('key', () => {
            for (const one of kept) spoil(one)
            kept.push(value(n))
            return kept.at(-1)
          }),
        )
        for (const one of kept) spoil(one)
        await Promise.all(calls)
        for (const one of kept) spoil(one)
        assertSame(await kv.get('key'), value(4))
      },
    },
    {
      title: 'many results of one key that are changed change no other',
      needs: [ownResults],
      run: async ({ kv, value }) => {
        await kv.set('key', value(1))
        const found = await Promise.all(many.map(() => kv.get('key')))
        for (const one of found) {
          assertSame(one, value(1))
          spoil(one)
        }
        const [first, second] = await kv.getMany(['key', 'key'])
        spoil(first)
        if (first !== second) assertSame(second, value(1))
        assertSame(await kv.get('key'), value(1))
      },
    },
    {
      title: 'bytes come back as a Uint8Array in memory of exactly their length',
      needs: [bytes],
      run: async ({ kv, capabilities }) => {
        const input = Buffer.from('some bytes, and more')
        await kv.set('key', input)
        const found: unknown[] = await Promise.all(many.map(() => kv.get('key')))
        found.push(...(await kv.getMany(['key', 'key'])), (await kv.getEntry('key'))?.value)
        if (capabilities.scan !== false)
          found.push(...(await collect(kv.entries())).map(([, { value }]) => value))
        if (capabilities.conditionalWrite) {
          found.push(
            await kv.update('key', (present) => {
              found.push(present)
              return input
            }),
          )
        }
        for (const one of found) {
          assertSame(one, input)
          assertOwn(one as Uint8Array)
        }
        assert.equal(new Set(found.map((one) => (one as Uint8Array).buffer)).size, found.length)
      },
    },
    {
      title: 'bytes of a listing belong to their reader',
      needs: [bytes, scan],
      run: async ({ kv, value }) => {
        await kv.setMany(many.map((n) => [`key ${n}`, value(n)]))
        for (const [, entry] of await collect(kv.entries())) {
          assert.ok(!isStoreError(entry))
          assertOwn(entry.value as Uint8Array)
          spoil(entry.value)
        }
        assertAllSame(
          await kv.getMany(many.map((n) => `key ${n}`)),
          many.map((n) => value(n)),
        )
      },
    },
  ],
}

function assertOwn(bytes: Uint8Array): void {
  assert.equal(Object.getPrototypeOf(bytes), Uint8Array.prototype, 'a plain Uint8Array')
  assert.equal(bytes.buffer.byteLength, bytes.byteLength, 'memory of exactly its length')
}
