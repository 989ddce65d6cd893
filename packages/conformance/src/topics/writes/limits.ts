import assert from 'node:assert/strict'
import { keyBytes, portableKeyBytes } from '@unikv/core/adapter'
import { assertAllSame, assertSame, partialResults, rejectsWith } from '../../assertions.ts'
import type { Fixture } from '../../fixture.ts'
import { bytes, type Need, scan, type Topic } from '../../topic.ts'
import { listKeys, readValue } from '../../verbs.ts'

const mebi = 2 ** 20

/** Large enough to be refused, small enough to be made. */
const refusable: Need = ({ capabilities }) => capabilities.maxValueBytes <= 512 * mebi
const writable: Need = ({ capabilities }) => capabilities.maxValueBytes <= 64 * mebi

let spare = new ArrayBuffer(0)

/** A value that is refused, so that its memory is never touched. Made anew each time, it would set off a collection of garbage. */
function zeros(length: number): Uint8Array {
  if (spare.byteLength < length) spare = new ArrayBuffer(length)
  return new Uint8Array(spare, 0, length)
}

export const limits: Topic = {
  title: 'limits',
  cases: [
    {
      title: 'keys up to the portable limit are taken, in one-byte and in four-byte characters',
      needs: [],
      run: async ({ kv, value }) => {
        const keys = [
          'k'.repeat(portableKeyBytes),
          '\u{1f600}'.repeat(portableKeyBytes / 4),
          '/'.repeat(portableKeyBytes),
        ]
        for (const [i, key] of keys.entries()) await kv.set(key, value(i))
        for (const [i, key] of keys.entries()) assertSame(await kv.get(key), value(i))
      },
    },
    {
      title: 'the longest declared key is taken, and one byte more is refused before the store is asked',
      run: async (t) => {
        for (const character of ['k', '\u00e9', '\u{1f600}']) await assertKeyLimit(t, character)
      },
    },
    {
      title: 'the limit counts the namespace',
      run: async (t) => {
        const { maxKeyBytes } = t.capabilities
        const space = t.kv.namespace('space')
        const longest = 'k'.repeat(maxKeyBytes - keyBytes('\u0001space\u0002'))
        await space.set(longest, t.value(1))
        assertSame(await space.get(longest), t.value(1))
        await rejectsWith('KEY_TOO_LONG', () => space.set(`${longest}k`, t.value(2)))
      },
    },
    {
      title: 'long keys that differ in their last byte are two keys, and are listed whole',
      needs: [scan],
      run: async ({ kv, capabilities, value }) => {
        const long = 'k'.repeat(capabilities.maxKeyBytes - 1)
        await kv.set(`${long}a`, value(1))
        await kv.set(`${long}b`, value(2))
        assertSame(await kv.get(`${long}a`), value(1))
        assertSame(await kv.get(`${long}b`), value(2))
        assert.deepEqual((await listKeys(kv)).toSorted(), [`${long}a`, `${long}b`])
      },
    },
    {
      title: 'the largest declared value is taken',
      needs: [bytes, writable],
      run: async ({ kv, store, capabilities }) => {
        const largest = Buffer.alloc(capabilities.maxValueBytes, 'largest ')
        await kv.set('key', largest)
        assertSame(await readValue(store, 'key'), largest)
      },
    },
    {
      title: 'one byte more is refused before the store is asked, and the store is as usable as before',
      needs: [bytes, refusable],
      run: async (t) => {
        const probe = t.observed()
        const kv = t.keyValue(probe.store)
        await kv.set('key', t.value(1))
        const { calls } = probe
        const tooLarge = zeros(t.capabilities.maxValueBytes + 1)
        await rejectsWith('VALUE_TOO_LARGE', () => kv.set('key', tooLarge))
        const [result] = await partialResults(() => kv.setMany([['key', tooLarge]]))
        assert.equal((result as { code?: unknown }).code, 'VALUE_TOO_LARGE')
        assert.equal(probe.calls, calls, 'nothing was sent')
        assertSame(await kv.get('key'), t.value(1))
        await kv.set('key', t.value(2))
        assertSame(await kv.get('key'), t.value(2))
      },
    },
    {
      title: 'a value that is too large takes none of the calls of its tick with it',
      needs: [bytes, refusable],
      run: async ({ kv, value, capabilities }) => {
        const tooLarge = zeros(capabilities.maxValueBytes + 1)
        const refused = () => rejectsWith('VALUE_TOO_LARGE', () => kv.set('large', tooLarge))
        await Promise.all([kv.set('a', value(1)), kv.set('b', value(2)), refused(), kv.set('c', value(3))])
        assertAllSame(await kv.getMany(['a', 'b', 'c', 'large']), [value(1), value(2), value(3), undefined])
      },
    },
    {
      title: 'a value that is not bytes is refused before the store is asked',
      needs: [bytes],
      run: async (t) => {
        const probe = t.observed()
        const kv = t.keyValue(probe.store)
        for (const value of [
          'text',
          '',
          1,
          null,
          true,
          1n,
          {},
          [1],
          new ArrayBuffer(1),
          new Uint16Array(1),
          () => 1,
        ]) {
          await rejectsWith('INVALID_VALUE', () => kv.set('key', value))
          const [result] = await partialResults(() => kv.setMany([['key', value]]))
          assert.equal((result as { code?: unknown }).code, 'INVALID_VALUE')
        }
        assert.equal(probe.calls, 0, 'nothing was sent')
      },
    },
    {
      title: 'undefined is not a value',
      run: async ({ kv }) => {
        await rejectsWith('INVALID_VALUE', () => kv.set('key', undefined))
        await rejectsWith('INVALID_VALUE', () => kv.setMany([['key', undefined]]))
        assert.equal(await kv.has('key'), false)
      },
    },
  ],
}

async function assertKeyLimit(t: Fixture, character: string): Promise<void> {
  const { maxKeyBytes } = t.capabilities
  const probe = t.observed()
  const kv = t.keyValue(probe.store)
  const size = keyBytes(character)
  const longest = character.repeat(Math.floor(maxKeyBytes / size)) + 'k'.repeat(maxKeyBytes % size)
  await kv.set(longest, t.value(1))
  assertSame(await kv.get(longest), t.value(1))
  const { calls } = probe
  for (const run of [
    () => kv.set(`${longest}k`, t.value(2)),
    () => kv.get(`${longest}k`),
    () => kv.getMany([`k${longest}`]),
  ]) {
    await rejectsWith('KEY_TOO_LONG', run)
  }
  assert.equal(probe.calls, calls, 'nothing was sent')
  assertSame(await kv.get(longest), t.value(1))
  await kv.delete(longest)
}
