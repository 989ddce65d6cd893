import assert from 'node:assert/strict'
import { isNotModified, isVersion, newVersion } from '@unikv/core'
import { assertSame, rejectsWith } from '../../assertions.ts'
import { conditionalRead, not, type Topic, ttl, versions } from '../../topic.ts'
import { presentEntry, readResult, remove, set } from '../../verbs.ts'

export const versionsOfRecords: Topic = {
  title: 'versions',
  cases: [
    {
      title: 'every write through KeyValue leaves a version that no write left before',
      needs: [versions],
      run: async ({ kv, value }) => {
        const seen = new Set<string>()
        for (let n = 0; n < 20; n++) {
          const { version } = await kv.set('key', value(n % 2))
          assert.ok(isVersion(version))
          seen.add(version)
          assert.equal((await kv.getEntry('key'))?.version, version)
          if (n % 5 === 4) await kv.delete('key')
        }
        assert.equal(seen.size, 20)
      },
    },
    {
      title: 'a record that was deleted and made again has the version of its new write',
      needs: [versions],
      run: async ({ store, value }) => {
        const first = await set(store, 'key', value(1))
        await remove(store, 'key')
        const second = await set(store, 'key', value(1))
        assert.notEqual(second, first)
        assert.equal((await presentEntry(store, 'key')).version, second)
      },
    },
    {
      title: 'reads change no version',
      needs: [versions],
      run: async ({ store, value }) => {
        const version = await set(store, 'key', value(1))
        for (let i = 0; i < 3; i++) assert.equal((await presentEntry(store, 'key')).version, version)
        await readResult(store, 'key', { head: true })
        assert.equal((await presentEntry(store, 'key')).version, version)
      },
    },
    {
      title: 'a read of a version that is still there brings no value',
      needs: [conditionalRead],
      run: async ({ store, value }) => {
        const version = await set(store, 'key', value(1))
        const result = await readResult(store, 'key', { ifNotVersion: version })
        assert.ok(isNotModified(result) && result.notModified, 'the answer is not modified')
        assert.ok(!('value' in result))
        assert.equal(result.version, version)
        assert.equal(result.expiresAt, undefined)
      },
    },
    {
      title: 'a read of a version that was replaced brings the new value',
      needs: [conditionalRead],
      run: async ({ store, value }) => {
        const first = await set(store, 'key', value(1))
        const second = await set(store, 'key', value(1))
        const result = await readResult(store, 'key', { ifNotVersion: first })
        assert.ok(result !== undefined && 'value' in result)
        assertSame(result.value, value(1))
        assert.equal(result.version, second)
      },
    },
    {
      title: 'a read of a version that is gone says absent, also after the key was made again',
      needs: [conditionalRead],
      run: async ({ store, value }) => {
        const first = await set(store, 'key', value(1))
        await remove(store, 'key')
        assert.equal(await readResult(store, 'key', { ifNotVersion: first }), undefined)
        await set(store, 'key', value(1))
        const again = await readResult(store, 'key', { ifNotVersion: first })
        assert.ok(again !== undefined && 'value' in again, 'the value of the new record comes')
      },
    },
    {
      title: 'a read of an unchanged version tells the expiry of the record',
      needs: [conditionalRead, ttl],
      run: async ({ store, value, now, capabilities }) => {
        const expiresAt = now() + 1_000_000
        const version = await set(store, 'key', value(1), { expiresAt })
        const result = await readResult(store, 'key', { ifNotVersion: version })
        assert.ok(isNotModified(result) && result.expiresAt !== undefined)
        const { precisionMs } = capabilities.ttl as { precisionMs: number }
        assert.ok(Math.abs(result.expiresAt - expiresAt) <= precisionMs)
      },
    },
    {
      title: 'KeyValue revalidates: not modified, changed, or gone',
      needs: [conditionalRead],
      run: async ({ kv, value }) => {
        const { version } = await kv.set('key', value(1))
        const same = await kv.revalidate('key', version as string)
        assert.ok(isNotModified(same))
        await kv.set('key', value(2))
        const changed = await kv.revalidate('key', version as string)
        assert.ok(changed !== undefined && 'value' in changed)
        assertSame(changed.value, value(2))
        await kv.delete('key')
        assert.equal(await kv.revalidate('key', version as string), undefined)
      },
    },
    {
      title: 'revalidation without conditional reads is UNSUPPORTED',
      needs: [not(conditionalRead)],
      run: async ({ kv, value }) => {
        const { version } = await kv.set('key', value(1))
        await rejectsWith('UNSUPPORTED', () => kv.revalidate('key', version ?? newVersion()))
      },
    },
  ],
}
