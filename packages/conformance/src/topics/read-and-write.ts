import assert from 'node:assert/strict'
import { isEntry, isNotModified, newVersion } from '@unikv/core'
import { assertSame } from '../assertions.ts'
import { type Topic, versions } from '../topic.ts'
import { mutate, presentEntry, readEntry, readResult, readValue, remove, set, written } from '../verbs.ts'

export const readAndWrite: Topic = {
  title: 'read and write',
  cases: [
    {
      title: 'a key that was never written is absent',
      run: async ({ store, kv }) => {
        assert.equal(await readEntry(store, 'never'), undefined)
        assert.equal(await kv.get('never'), undefined)
        assert.equal(await kv.getEntry('never'), undefined)
        assert.equal(await kv.has('never'), false)
      },
    },
    {
      title: 'a read returns the value, the version and no expiry',
      run: async ({ store, value, stored }) => {
        const version = await set(store, 'key', value(1))
        const entry = await presentEntry(store, 'key')
        assertSame(entry.value, value(1))
        assert.equal(entry.version, stored(version), 'the version is the one that the write brought')
        assert.equal(entry.expiresAt, undefined)
      },
    },
    {
      title: 'a write answers with the version that the record now has',
      needs: [versions],
      run: async ({ store, value }) => {
        const version = newVersion()
        const result = await written(store, { type: 'set', key: 'key', value: value(1), version })
        assert.equal(result.version, version)
        const token = newVersion()
        const removed = await written(store, { type: 'delete', key: 'key', version: token })
        assert.equal(removed.version, token, 'a delete answers with its token')
      },
    },
    {
      title: 'a write replaces the value and the version',
      run: async ({ store, value, stored }) => {
        const first = await set(store, 'key', value(1))
        assert.equal((await presentEntry(store, 'key')).version, stored(first))
        const second = await set(store, 'key', value(2))
        const entry = await presentEntry(store, 'key')
        assertSame(entry.value, value(2))
        assert.equal(entry.version, stored(second))
      },
    },
    {
      title: 'a write of an equal value still replaces the version',
      needs: [versions],
      run: async ({ store, value }) => {
        await set(store, 'key', value(1))
        const second = await set(store, 'key', value(1))
        assert.equal((await presentEntry(store, 'key')).version, second)
      },
    },
    {
      title: 'a shorter value replaces a longer one completely',
      run: async ({ store, kv, value }) => {
        await set(store, 'key', value(1_000_000_000))
        await set(store, 'key', value(1))
        assertSame(await readValue(store, 'key'), value(1))
        assertSame(await kv.get('key'), value(1))
      },
    },
    {
      title: 'a deleted key is absent, and can be written again',
      run: async ({ store, kv, value }) => {
        await set(store, 'key', value(1))
        await remove(store, 'key')
        assert.equal(await readEntry(store, 'key'), undefined)
        assert.equal(await kv.has('key'), false)
        await set(store, 'key', value(2))
        assertSame(await readValue(store, 'key'), value(2))
      },
    },
    {
      title: 'deleting an absent key is a success',
      run: async ({ store, kv }) => {
        await remove(store, 'never')
        await remove(store, 'never')
        await kv.delete('never')
      },
    },
    {
      title: 'a change of one key changes no other',
      run: async ({ store, value, stored }) => {
        await set(store, 'a', value(1))
        await set(store, 'b', value(2))
        const c = await set(store, 'c', value(3))
        await set(store, 'a', value(4))
        await remove(store, 'b')
        const entry = await presentEntry(store, 'c')
        assertSame(entry.value, value(3))
        assert.equal(entry.version, stored(c))
      },
    },
    {
      title: 'each of many rounds of set, read, delete, read sees the round before it',
      run: async ({ store, value }) => {
        for (let n = 0; n < 10; n++) {
          await set(store, 'key', value(n))
          assertSame(await readValue(store, 'key'), value(n))
          await remove(store, 'key')
          assert.equal(await readEntry(store, 'key'), undefined, `round ${n}: deleted is absent`)
        }
      },
    },
    {
      title: 'a read that began before a delete does not bring the value back for later reads',
      run: async ({ store, value }) => {
        for (let n = 0; n < 10; n++) {
          await set(store, 'key', value(n))
          const early = readResult(store, 'key')
          await remove(store, 'key')
          await early
          assert.equal(await readEntry(store, 'key'), undefined, `round ${n}`)
        }
      },
    },
    {
      title: 'a read that began before a write does not hide it from later reads',
      run: async ({ store, value }) => {
        for (let n = 0; n < 10; n++) {
          const early = readResult(store, 'key')
          await set(store, 'key', value(n))
          await early
          assertSame(await readValue(store, 'key'), value(n), `round ${n}`)
        }
      },
    },
    {
      title: 'a read of the head alone says whether the record is there, its version and its expiry',
      run: async ({ store, value, stored }) => {
        const version = await set(store, 'key', value(1))
        const result = await readResult(store, 'key', { head: true })
        assert.ok(isEntry(result) || isNotModified(result))
        assert.equal(result.version, stored(version))
        assert.equal(result.expiresAt, undefined)
        assert.equal(await readResult(store, 'never', { head: true }), undefined)
      },
    },
    {
      title: 'another instance over the dataset reads what was acknowledged',
      needs: [({ reopen }) => reopen],
      run: async (t) => {
        const version = await set(t.store, 'key', t.value(1))
        await set(t.store, 'gone', t.value(2))
        await remove(t.store, 'gone')
        const second = await t.reopened()
        const entry = await presentEntry(second, 'key')
        assertSame(entry.value, t.value(1))
        assert.equal(entry.version, t.stored(version))
        assert.equal(await readEntry(second, 'gone'), undefined)
        await set(second, 'key', t.value(3))
        assertSame(await readValue(t.store, 'key'), t.value(3))
      },
    },
    {
      title: 'two stores over datasets of their own share nothing',
      run: async (t) => {
        const other = await t.another()
        await set(t.store, 'key', t.value(1))
        assert.equal(await readEntry(other, 'key'), undefined)
        await set(other, 'key', t.value(2))
        await remove(other, 'key')
        assertSame(await readValue(t.store, 'key'), t.value(1))
      },
    },
    {
      title: 'KeyValue reads what the verbs wrote, and the verbs what KeyValue wrote',
      run: async ({ store, kv, value, stored }) => {
        const version = await set(store, 'a', value(1))
        const entry = await kv.getEntry('a')
        assertSame(entry?.value, value(1))
        assert.equal(entry?.version, stored(version))
        const { version: second } = await kv.set('b', value(2))
        assertSame(await readValue(store, 'b'), value(2))
        assert.equal((await presentEntry(store, 'b')).version, second)
        await kv.delete('a')
        assert.equal(await readEntry(store, 'a'), undefined)
      },
    },
    {
      title: 'a mutation result is neither an error nor a refusal',
      run: async ({ store, value }) => {
        const result = await mutate(store, {
          type: 'set',
          key: 'key',
          value: value(1),
          version: newVersion(),
        })
        assert.ok(!(result instanceof Error))
        assert.ok(!('conditionFailed' in result))
      },
    },
  ],
}
