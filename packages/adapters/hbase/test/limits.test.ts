import { isStoreError, keyValue } from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { describeWith } from '@unikv/test-kit/vitest'
import { describe, expect, test } from 'vitest'
import { bytes, fresh } from './fresh.ts'

describeWith('hbase', (url) => {
  describe('limits', () => {
    test('a key of the longest length works in every verb, a longer one is refused', async () => {
      const store = fresh({ url, dataset: `t${'x'.repeat(47)}` })
      const kv = keyValue(store)
      const { maxKeyBytes } = store.capabilities
      for (const character of ['k', '\u0004', '😀']) {
        const key = character.repeat(maxKeyBytes / Buffer.byteLength(character))
        await kv.set(key, bytes('v'))
        await kv.set(key, bytes('w'), { ifVersion: (await kv.getEntry(key))?.version ?? null })
        expect(await kv.getMany([key, `${character}`])).toEqual([bytes('w'), undefined])
        // The second page begins behind the key itself.
        for (const reverse of [false, true]) {
          const range = { prefix: key.slice(0, -2), pageSize: 1, values: true, reverse }
          const found: string[] = []
          for await (const page of store.scan(range, callOptions()))
            found.push(...page.entries.map((entry) => entry.key))
          expect(found).toEqual([key])
        }
        await kv.delete(key)
        await expect(kv.set(`${key}k`, bytes('v'))).rejects.toMatchObject({ code: 'KEY_TOO_LONG' })
      }
    })

    test('a value of the longest length works, a longer one is refused before and by the server', async () => {
      const store = fresh({ url })
      const kv = keyValue(store, [], { timeoutMs: 30_000 })
      const { maxValueBytes, maxKeyBytes } = store.capabilities
      const value = Buffer.alloc(maxValueBytes, 7)
      const key = 'k'.repeat(maxKeyBytes)
      await kv.set(key, value)
      expect((await kv.get(key))?.length).toBe(maxValueBytes)
      await kv.delete(key)
      await expect(kv.set('k', Buffer.alloc(maxValueBytes + 1))).rejects.toMatchObject({
        code: 'VALUE_TOO_LARGE',
      })
      const wide = fresh({ url, maxValueBytes: 16 * 1024 * 1024 })
      await expect(
        keyValue(wide, [], { timeoutMs: 30_000 }).set('k', Buffer.alloc(10 * 1024 * 1024)),
      ).rejects.toMatchObject({ code: 'VALUE_TOO_LARGE' })
    })

    test('of connections and waiting requests: what is beyond is OVERLOADED', async () => {
      const store = fresh({ url, maxConnections: 1, queueLimit: 2 })
      await store.read([{ key: 'k' }], callOptions())
      const results = await Promise.all(
        Array.from({ length: 6 }, async () => store.read([{ key: 'k' }], callOptions())),
      )
      const codes = results.map(([one]) => (isStoreError(one) ? one.code : one))
      expect(codes).toEqual([undefined, undefined, undefined, 'OVERLOADED', 'OVERLOADED', 'OVERLOADED'])
    })
  })
})
