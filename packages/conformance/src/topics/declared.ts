import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { newVersion } from '@unikv/core'
import { capabilitiesIn, portableKeyBytes } from '@unikv/core/adapter'
import { assertSame, rejectsWith } from '../assertions.ts'
import { type Topic, ttl } from '../topic.ts'
import { call, set } from '../verbs.ts'

export const declared: Topic = {
  title: 'declared capabilities',
  cases: [
    {
      title: 'capabilities are a closed list of plain data, the same for every instance',
      run: async (t) => {
        const { capabilities } = t
        assert.deepEqual(capabilitiesIn(capabilities), capabilities)
        assert.deepEqual(structuredClone(capabilities), capabilities)
        assert.deepEqual((await t.another()).capabilities, capabilities)
        assert.deepEqual(t.kv.capabilities, capabilities, 'KeyValue shows them as they are')
      },
    },
    {
      title: 'touch is declared with expiry alone',
      run: async ({ capabilities }) => assert.ok(!capabilities.touch || capabilities.ttl !== false),
    },
    {
      title: 'limits are such that every portable key and a batch fit',
      run: async ({ capabilities: { maxKeyBytes, maxValueBytes, batch } }) => {
        assert.ok(maxKeyBytes >= portableKeyBytes)
        assert.ok(maxValueBytes >= 1_024)
        assert.ok(batch.maxItems >= 1 && batch.maxBytes >= 1)
        if (batch.coalesce === false) return
        const { min, max } = batch.coalesce
        assert.ok(min >= 1 && min <= max && max <= batch.maxItems, 'what is merged fits into one call')
      },
    },
    {
      title: 'the name shows no address and no user, and KeyValue and its views give the native client',
      run: async ({ store, kv }) => {
        assert.ok(store.name.length > 0)
        assert.ok(!/[@?]|:\/\//.test(store.name))
        assert.equal(kv.name, store.name)
        assert.equal(kv.native, store.native)
        assert.equal(kv.namespace('space').native, store.native)
      },
    },
    {
      title: 'verbs that are declared to answer at once do',
      needs: [({ capabilities }) => capabilities.sync !== 'none'],
      run: async ({ store, capabilities, value }) => {
        await set(store, 'key', value(1))
        const read = store.read([{ key: 'key' }, { key: 'absent' }], call())
        assert.ok(Array.isArray(read), 'a read has no promise')
        if (capabilities.sync !== 'all') return
        const write = store.write(
          [{ type: 'set', key: 'key', value: value(2), version: newVersion() }],
          call(),
        )
        assert.ok(Array.isArray(write), 'a write has no promise')
      },
    },
    {
      title: 'every declared consistency level is taken, and no other',
      run: async ({ kv, capabilities, value, patienceMs }) => {
        await kv.set('key', value(1))
        for (const consistency of capabilities.consistency) {
          // At a weak level a replica answers that may not have heard of the write, and the next answer may be that of another one.
          const giveUpAt = performance.now() + patienceMs
          let found = await kv.get('key', { consistency })
          while (consistency !== 'strong' && found === undefined && performance.now() < giveUpAt) {
            await pause(20)
            found = await kv.get('key', { consistency })
          }
          assertSame(found, value(1))
          await kv.set('key', value(1), { consistency })
        }
        await rejectsWith('UNSUPPORTED', () => kv.get('key', { consistency: 'of no store' }))
        await rejectsWith('UNSUPPORTED', () => kv.set('key', value(2), { consistency: 'of no store' }))
        assertSame(await kv.get('key'), value(1))
      },
    },
    {
      title: 'a bad time to live is refused',
      needs: [ttl],
      run: async ({ kv, value }) => {
        for (const ttlMs of [0, -1, Number.NaN, 1e18, '5', null]) {
          await rejectsWith('INVALID_ARGUMENT', () => kv.set('key', value(1), { ttlMs: ttlMs as number }))
          await rejectsWith('INVALID_ARGUMENT', () =>
            kv.setMany([['key', value(1)]], { ttlMs: ttlMs as number }),
          )
        }
        assert.equal(await kv.has('key'), false)
      },
    },
  ],
}
