import { compression } from '@unikv/compression'
import { type Bytes, compose, keyValue, newVersion, type ReadResult } from '@unikv/core'
import { callOptions, isUserKey } from '@unikv/core/adapter'
import { memory } from '@unikv/core/memory'
import { encryption, keyring } from '@unikv/encryption'
import { parts, readStream, type StreamedValue, writeStream } from '@unikv/parts'
import { describe, expect, test } from 'vitest'

const keys = keyring({ primary: 'k', keys: { k: Uint8Array.from({ length: 32 }, (_, i) => i * 7) } })

const value = (length: number, seed: number) => Uint8Array.from({ length }, (_, i) => (i * 31 + seed) % 251)

type Records = ReadonlyMap<string, ReadResult<Bytes>>

/** Values in parts of 100 bytes, sealed one by one. */
function sealed() {
  const store = memory()
  const kv = keyValue(store, [
    parts({ above: 100, size: 100 }),
    compression({ withEncryption: true }),
    encryption({ dataset: 'd', keys }),
  ])
  const below = compose(store, [])
  const records = async (): Promise<Records> => {
    const names: string[] = []
    for await (const page of below.scan({ prefix: '', pageSize: 100, values: false }, callOptions()))
      names.push(...page.entries.map(({ key }) => key))
    const found = await below.read(
      names.map((key) => ({ key })),
      callOptions(),
    )
    return new Map(names.map((key, i) => [key, found[i]]))
  }
  const put = (key: string, record: Bytes | undefined) => {
    const version = newVersion()
    const change =
      record === undefined ? { type: 'delete' as const } : { type: 'set' as const, value: record }
    return below.write([{ ...change, key, version }], callOptions())
  }
  return { kv, records, put }
}

const valueIn = (records: Records, key: string): Bytes =>
  (records.get(key) as { readonly value: Bytes }).value

async function streamed({ kv }: ReturnType<typeof sealed>, key: string): Promise<Buffer> {
  const { body } = (await readStream(kv, key)) as StreamedValue
  const pieces: Uint8Array[] = []
  for await (const piece of body as unknown as AsyncIterable<Uint8Array>) pieces.push(piece)
  return Buffer.concat(pieces)
}

async function refused(at: ReturnType<typeof sealed>, key: string): Promise<void> {
  await expect(at.kv.get(key)).rejects.toMatchObject({
    code: expect.stringMatching(/CORRUPT|AUTHENTICATION_FAILED/),
  })
  await expect(streamed(at, key)).rejects.toMatchObject({
    code: expect.stringMatching(/CORRUPT|AUTHENTICATION_FAILED/),
  })
}

describe('parts below which records are sealed', () => {
  test('come back, and no record shows their bytes', async () => {
    const at = sealed()
    async function* source() {
      yield value(950, 3)
    }
    await writeStream(at.kv, 'a', source())
    expect(new Uint8Array(await streamed(at, 'a'))).toEqual(value(950, 3))
    for (const record of (await at.records()).values())
      expect(
        Buffer.from((record as { readonly value: Bytes }).value).includes(
          Buffer.from(value(100, 3).subarray(0, 20)),
        ),
      ).toBe(false)
  })

  test('are refused when they are reordered, doubled, cut off, damaged, or of another value or writing', async () => {
    const at = sealed()
    await at.kv.set('b', value(450, 9))
    await at.kv.set('a', value(450, 1))
    const old = await at.records()
    const named = (records: Records, key: string) =>
      Array.from(records.keys())
        .filter((one) => !isUserKey(one) && one.startsWith(`\u0000c${key}`))
        .sort()
    const oldParts = named(old, 'a')
    await at.kv.set('a', value(450, 2))
    await expect.poll(async () => named(await at.records(), 'a').length).toBe(5)
    const now = await at.records()
    const [first, second, , , last] = named(now, 'a') as [string, string, string, string, string]
    const other = named(now, 'b')[0] as string
    const swaps: (readonly [key: string, record: Bytes | undefined])[] = [
      [first, valueIn(now, second)],
      [last, valueIn(now, first)],
      [last, undefined],
      [first, valueIn(now, other)],
      [first, valueIn(old, oldParts[0] as string)],
      [first, valueIn(now, first).map((byte, i) => (i === 40 ? byte ^ 1 : byte))],
      ['a', valueIn(now, 'b')],
      // The record of the former value, whose parts are gone.
      ['a', valueIn(old, 'a')],
    ]
    for (const [key, record] of swaps) {
      await at.put(key, record)
      await refused(at, 'a')
      await at.put(key, valueIn(now, key))
      expect(await at.kv.get('a')).toEqual(value(450, 2))
    }
  })

  test('are refused although the parts of the former value are put under the names of the new ones', async () => {
    const at = sealed()
    await at.kv.set('a', value(250, 1))
    const old = await at.records()
    await at.kv.set('a', value(250, 2))
    await expect.poll(async () => (await at.records()).size).toBe(4)
    const now = await at.records()
    const [formers, presents] = [old, now].map((records) =>
      Array.from(records.keys())
        .filter((key) => !isUserKey(key))
        .sort(),
    ) as [string[], string[]]
    for (const [i, key] of presents.entries()) await at.put(key, valueIn(old, formers[i] as string))
    await refused(at, 'a')
  })
})
