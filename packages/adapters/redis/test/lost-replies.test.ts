import { callOptions } from '@unikv/core/adapter'
import { describe, expect, test } from 'vitest'
import { admin, describeDrivers, proxy } from './faulty-server.ts'
import { bytes, codeOf, type Draft, read, set, text, textOf, write, writeAll } from './fresh.ts'

describeDrivers(({ through }) => {
  describe('a lost reply', () => {
    const writes: Readonly<Record<string, (version: string) => Draft>> = {
      set: () => ({ type: 'set', key: 'k', value: bytes('new') }),
      'set with expiry': () => ({
        type: 'set',
        key: 'k',
        value: bytes('new'),
        expiresAt: Date.now() + 60_000,
      }),
      'set that keeps the expiry': () => ({
        type: 'set',
        key: 'k',
        value: bytes('new'),
        expiresAt: 'keep',
      }),
      'conditional set': (ifVersion) => ({ type: 'set', key: 'k', value: bytes('new'), ifVersion }),
      delete: () => ({ type: 'delete', key: 'k' }),
      'conditional delete': (ifVersion) => ({ type: 'delete', key: 'k', ifVersion }),
      touch: () => ({ type: 'touch', key: 'k', expiresAt: Date.now() + 60_000 }),
      increment: () => ({ type: 'increment', key: 'k', by: 1, initial: 0 }),
    }
    for (const [name, draft] of Object.entries(writes)) {
      test(`of ${name} is OUTCOME_UNKNOWN, and the effect happens once`, async () => {
        const store = through()
        const before = await set(store, 'k', '41')
        await write(store, draft(before)) // the script is known from here on
        const again = await set(store, 'k', '41')
        await admin.config('RESETSTAT')
        proxy.inject({ kind: 'cut', side: 'response', afterBytes: 0 })
        const call = callOptions()
        const result = await write(store, draft(again), call)
        expect(result).toMatchObject({ code: 'OUTCOME_UNKNOWN', retryable: false })
        expect(call.sent).toBe(true)
        // The connection is opened again by the next call, and nothing is sent twice.
        const after = await read(store, 'k')
        if (name === 'increment') expect(textOf(after)).toBe('42')
        else if (name.includes('delete')) expect(after).toBeUndefined()
        else if (name !== 'touch') expect(textOf(after)).toBe('new')
        const calls = [
          ...(await admin.info('commandstats')).matchAll(
            /cmdstat_(set|mset|evalsha|eval|unlink):calls=(\d+)/g,
          ),
        ]
        const outside = calls.filter(([, command]) => command?.startsWith('eval'))
        const counted = outside.length > 0 ? outside : calls
        expect(counted.map(([, , count]) => Number(count))).toEqual([1])
      })
    }

    test('of a read is UNAVAILABLE', async () => {
      const store = through()
      await set(store, 'k', 'v')
      proxy.inject({ kind: 'cut', side: 'response', afterBytes: 0 })
      expect(await codeOf(read(store, 'k'))).toBe('UNAVAILABLE')
      expect(await text(store, 'k')).toBe('v')
    })

    test('of a part of a batch leaves the other part known', async () => {
      const store = through()
      await write(store, { type: 'increment', key: 'warm', by: 1, initial: 0 })
      proxy.inject({ kind: 'cut', side: 'response', afterBytes: 10 })
      const results = await writeAll(store, [
        { type: 'set', key: 'a', value: bytes('a') },
        { type: 'increment', key: 'n', by: 1, initial: 0 },
        { type: 'increment', key: 'm', by: 1, initial: 0 },
      ])
      expect(results[0]).toEqual({ version: expect.any(String) })
      expect(results.slice(1)).toMatchObject([{ code: 'OUTCOME_UNKNOWN' }, { code: 'OUTCOME_UNKNOWN' }])
      expect(await text(store, 'n')).toBe('1')
    })
  })
})
