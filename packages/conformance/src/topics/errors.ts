import assert from 'node:assert/strict'
import { inspect } from 'node:util'
import { isStoreError, newVersion, type ScanOptions, type ScanPage, type StoreError } from '@unikv/core'
import { errorCodes } from '@unikv/core/adapter'
import { assertSame, assertSameKeys, rejectsWith } from '../assertions.ts'
import type { Fixture } from '../fixture.ts'
import { bytes, conditionalWrite, corrupt, increment, scan, type Topic } from '../topic.ts'
import { readResult, scanPages, set } from '../verbs.ts'

const secretKey = 'secret-key-5f2a'
const secretValue = 'secret-value-9c1d'
const damaged = ['CORRUPT', 'AUTHENTICATION_FAILED', 'UNKNOWN_KEY_ID', 'INVALID_VALUE'] as const

export const errors: Topic = {
  title: 'errors',
  cases: [
    {
      title: 'every refusal is a StoreError with a code, the operation and the name of the store',
      run: async ({ kv, value, capabilities }) => {
        const long = 'k'.repeat(capabilities.maxKeyBytes + 1)
        const refusals = [
          ['get', await rejectsWith('INVALID_KEY', () => kv.get(''))],
          ['set', await rejectsWith('INVALID_VALUE', () => kv.set('key', undefined))],
          ['delete', await rejectsWith('KEY_TOO_LONG', () => kv.delete(long))],
          ['getMany', await rejectsWith('INVALID_KEY', () => kv.getMany(['a', '']))],
          [
            'setMany',
            await rejectsWith('INVALID_ARGUMENT', () =>
              kv.setMany([
                ['a', value(1)],
                ['a', value(1)],
              ]),
            ),
          ],
          ['has', await rejectsWith('ABORTED', () => kv.has('key', { signal: AbortSignal.abort() }))],
        ] as const
        for (const [operation, error] of refusals) {
          assertWellFormed(error)
          assert.equal(error.operation, operation)
          assert.equal(error.store, kv.name)
        }
      },
    },
    {
      title:
        'a failed condition tells operation, store and key, and shows the key only where it is asked for',
      needs: [conditionalWrite],
      run: async ({ kv, value }) => {
        await kv.set(secretKey, value(1))
        const error = await rejectsWith('CONDITION_FAILED', () =>
          kv.set(secretKey, value(2), { ifVersion: newVersion() }),
        )
        assertWellFormed(error)
        assert.equal(error.operation, 'set')
        assert.equal(error.store, kv.name)
        assert.equal(error.key, secretKey)
        assert.equal(error.retryable, false)
        assertSilent(error)
      },
    },
    {
      title: 'no error shows a key or a value: not its message, not when it is printed, not as JSON',
      needs: [bytes],
      run: async (t) => {
        for (const error of await refusedWithSecrets(t)) assertSilent(error)
      },
    },
    {
      title: 'a counter that is none is refused without its value',
      needs: [bytes, increment],
      run: async ({ kv }) => {
        await kv.set(secretKey, Buffer.from(secretValue))
        const error = await rejectsWith('INVALID_VALUE', () => kv.increment(secretKey))
        assert.equal(error.operation, 'increment')
        assertSilent(error)
      },
    },
    {
      title: 'a damaged record is an error for every read of its value, never absent and never another value',
      needs: [corrupt],
      run: async (t) => {
        await t.kv.set(secretKey, t.value(1))
        await t.corrupt(secretKey)
        const result = await readResult(t.store, secretKey).catch((error: unknown) => error)
        assert.ok(isStoreError(result), 'the verb answers with an error in the place of the record')
        for (const run of [() => t.kv.get(secretKey), () => t.kv.getEntry(secretKey)]) {
          const error = await rejectsWith(damaged, run)
          assertWellFormed(error)
          assert.equal(error.key, secretKey)
          assertSilent(error)
        }
      },
    },
    {
      title: 'a damaged record does not hide the others of its batch',
      needs: [corrupt],
      run: async (t) => {
        await t.kv.setMany(['a', 'b', 'c'].map((key, i) => [key, t.value(i)]))
        await t.corrupt('b')
        const error = await rejectsWith('PARTIAL', () => t.kv.getMany(['a', 'b', 'c', 'd']))
        const [a, b, c, d] = error.results as [{ value: unknown }, StoreError, { value: unknown }, undefined]
        assertSame(a.value, t.value(0))
        assertSame(c.value, t.value(2))
        assert.ok(isStoreError(b) && damaged.some((code) => code === b.code))
        assert.equal(b.key, 'b', 'the error of a key names it')
        assert.equal(d, undefined)
        assert.ok(!Object.keys(error).includes('results'), 'results are not enumerable')
      },
    },
    {
      title: 'a damaged record does not hide the others of a listing',
      needs: [corrupt, scan],
      run: async (t) => {
        await t.kv.setMany(['a', 'b', 'c'].map((key, i) => [key, t.value(i)]))
        await t.corrupt('b')
        const pages = await scanPages(t.store, { values: true })
        const entries = pages.flatMap((page) => page.entries)
        for (const [i, key] of ['a', 'c'].entries()) {
          const found = entries.find((one) => one.key === key)?.entry
          assert.ok(found !== undefined && !isStoreError(found), `${key} is listed`)
          assertSame(found.value, t.value(2 * i))
        }
        const found = entries.find((one) => one.key === 'b')?.entry
        assert.ok(
          found === undefined || isStoreError(found),
          'the damaged one is an error, or not recognised as a record',
        )
      },
    },
    {
      title: 'entries lists what comes before a damaged record, names it, and goes on after it if asked to',
      needs: [corrupt, scan],
      run: async (t) => {
        const keys = Array.from({ length: 10 }, (_, i) => `key ${i}`)
        await t.kv.setMany(keys.map((key, i) => [key, t.value(i)]))
        await t.corrupt('key 4')
        const others = keys.filter((key) => key !== 'key 4')
        const told: unknown[] = []
        const onUnreadable = (error: StoreError, key: unknown) => told.push([error.key, key])
        assertSameKeys(await entryKeys(t, { onUnreadable }), others)
        // A store may not recognise it as a record.
        if (told.length === 0) return
        assert.deepEqual(told[0], ['key 4', 'key 4'])
        const before: string[] = []
        const error = await rejectsWith(damaged, () => entryKeys(t, {}, before))
        assert.equal(error.key, 'key 4')
        assertSilent(error)
        if (t.capabilities.scan !== false && t.capabilities.scan.order === 'bytes')
          assert.deepEqual(before, keys.slice(0, 4))
        if (before.length === 0) return
        let page: ScanPage<readonly [string, unknown]> | undefined
        await rejectsWith(damaged, async () => {
          for await (const one of t.kv.entries().pages()) page = one
        })
        const { items = [], cursor } = page ?? {}
        const rest = await entryKeys(t, { cursor, onUnreadable })
        assertSameKeys([...items.map(([key]) => key), ...rest], others)
      },
    },
    {
      title: 'a damaged record can be written over and deleted',
      needs: [corrupt],
      run: async (t) => {
        for (const heal of [
          () => set(t.store, 'key', t.value(2)),
          () => t.kv.delete('key').then(() => t.kv.set('key', t.value(2))),
        ]) {
          await t.kv.set('key', t.value(1))
          await t.corrupt('key')
          await heal()
          assertSame(await t.kv.get('key'), t.value(2))
        }
      },
    },
  ],
}

/** The keys of `entries`; a key that comes twice where that is allowed counts once. */
async function entryKeys(t: Fixture, options: ScanOptions<string>, into: string[] = []): Promise<string[]> {
  for await (const [key] of t.kv.entries(options)) into.push(key)
  const isOnce = t.capabilities.scan !== false && t.capabilities.scan.delivery === 'once'
  return isOnce ? into : [...new Set(into)]
}

async function refusedWithSecrets({ kv, capabilities }: Fixture): Promise<StoreError[]> {
  const value = Buffer.from(secretValue)
  const long = secretKey.padEnd(capabilities.maxKeyBytes + 1, 'k')
  const found = [
    await rejectsWith('INVALID_KEY', () => kv.set(`${secretKey}\ud800`, value)),
    await rejectsWith('KEY_TOO_LONG', () => kv.set(long, value)),
    await rejectsWith('INVALID_ARGUMENT', () =>
      kv.setMany([
        [secretKey, value],
        [secretKey, value],
      ]),
    ),
    await rejectsWith('INVALID_VALUE', () => kv.set(secretKey, undefined)),
    await rejectsWith('ABORTED', () => kv.set(secretKey, value, { signal: AbortSignal.abort() })),
    await rejectsWith(['INVALID_ARGUMENT', 'UNSUPPORTED'], () => kv.set(secretKey, value, { ttlMs: -1 })),
    await rejectsWith('UNSUPPORTED', () => kv.get(secretKey, { consistency: 'of no store' })),
  ]
  if (capabilities.maxValueBytes < 2 ** 26) {
    const large = Buffer.alloc(capabilities.maxValueBytes + 1, secretValue)
    found.push(await rejectsWith('VALUE_TOO_LARGE', () => kv.set(secretKey, large)))
  }
  return found
}

function assertWellFormed(error: StoreError): void {
  assert.ok(error instanceof Error)
  assert.ok(errorCodes.includes(error.code))
  assert.ok(error.message.length > 10, 'the message says what was wrong')
  assert.equal(typeof error.retryable, 'boolean')
  assert.ok(!Object.keys(error).includes('key'), 'the key is not enumerable')
}

/** Nothing that a log prints of an error has a key or a value in it. */
function assertSilent(error: StoreError): void {
  const shown = [
    error.message,
    String(error),
    error.stack ?? '',
    inspect(error, { depth: 6 }),
    JSON.stringify(error),
  ]
  const secrets = [
    secretKey,
    secretValue,
    Buffer.from(secretKey).toString('hex'),
    Buffer.from(secretValue).toString('base64').slice(0, 20),
  ]
  for (const text of shown) {
    for (const secret of secrets) assert.ok(!text.includes(secret), 'no key and no value is shown')
  }
}
