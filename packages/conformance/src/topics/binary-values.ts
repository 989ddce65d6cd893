import assert from 'node:assert/strict'
import { newVersion } from '@unikv/core'
import { encodeRecord } from '@unikv/core/adapter'
import { assertAllSame, assertSame } from '../assertions.ts'
import { random } from '../random.ts'
import { bytes, type Topic } from '../topic.ts'
import { readValue, readValues, set, setAll } from '../verbs.ts'

const everyByte = Uint8Array.from({ length: 256 }, (_, i) => i)

/** Bytes that a store might take for text, for nothing, or for something of its own. */
// biome-ignore format: many on a line, to be looked over
const awkward: readonly Uint8Array[] = [
  '', '\0', '\0\0\0', 'a\0b', '\0a', 'a\0', ' ', ' a ', '\n', '\r\n', 'a\r\nb\r\n', '\ufeffa', '$-1\r\n', 'OK', "'", '\\',
  'null', 'undefined', 'true', '0', '-0', '1', '01', '1e3', 'NaN', '""', '"a"', '{}', '[]', '{"value":1}', '%00',
].map((text) => new TextEncoder().encode(text))

const notUtf8: readonly Uint8Array[] = [
  [0x80],
  [0xff],
  [0xc3],
  [0xc0, 0x80],
  [0xed, 0xa0, 0x80],
  [0xf5, 0x80, 0x80, 0x80],
].map((list) => Uint8Array.from(list))

/** Beginnings of other formats: of a record of this library, and of compressed and encoded data. */
const headers: readonly Uint8Array[] = [
  encodeRecord(everyByte, newVersion(0), undefined),
  ...[
    [0xd5, 1],
    [0xd5, 2],
    [0x1f, 0x8b, 8, 0],
    [0x78, 0x9c],
    [0x28, 0xb5, 0x2f, 0xfd],
    [0xce, 0xb2, 0xcf],
    [0xff, 0xfe],
  ].map((list) => Uint8Array.from([...list, ...everyByte.subarray(0, 30)])),
]

export const binaryValues: Topic = {
  title: 'binary values',
  cases: [
    {
      title: 'a value of no bytes is a value',
      needs: [bytes],
      run: async ({ store, kv }) => {
        await set(store, 'key', new Uint8Array())
        assertSame(await readValue(store, 'key'), new Uint8Array())
        assert.equal(await kv.has('key'), true)
        assertSame(await kv.get('key'), new Uint8Array())
      },
    },
    {
      title: 'every byte survives, alone and among others',
      needs: [bytes],
      run: async ({ store }) => {
        const values = [
          everyByte,
          everyByte.toReversed(),
          ...Array.from(everyByte, (byte) => Uint8Array.of(byte)),
        ]
        await assertRoundTrips(store, values)
      },
    },
    {
      title: 'bytes that look like text, numbers or nothing survive',
      needs: [bytes],
      run: ({ store }) => assertRoundTrips(store, awkward),
    },
    {
      title: 'bytes that are not UTF-8 survive',
      needs: [bytes],
      run: ({ store }) => assertRoundTrips(store, notUtf8),
    },
    {
      title: 'bytes that look like a record or like another format survive',
      needs: [bytes],
      run: ({ store }) => assertRoundTrips(store, headers),
    },
    {
      title: 'values around powers of two survive',
      needs: [bytes],
      run: async (t) => {
        const sizes = [
          1, 127, 128, 129, 255, 256, 257, 4095, 4096, 4097, 16_383, 16_384, 16_385, 65_535, 65_536, 65_537,
        ]
        const { bytes: noise } = random(1)
        const fitting = sizes.filter((size) => size <= t.capabilities.maxValueBytes)
        await assertRoundTrips(
          t.store,
          fitting.map((size) => noise(size)),
        )
        await assertRoundTrips(
          t.store,
          fitting.map((size) => new Uint8Array(size)),
        )
      },
    },
    {
      title: 'a value of 1 MiB survives',
      needs: [bytes, ({ capabilities }) => capabilities.maxValueBytes >= 2 ** 20],
      run: async ({ store, kv }) => {
        const large = random(2).bytes(2 ** 20)
        await set(store, 'key', large)
        assertSame(await readValue(store, 'key'), large)
        await kv.set('other', large)
        assertSame(await kv.get('other'), large)
      },
    },
    {
      title: 'a view into a larger buffer is stored as the view alone',
      needs: [bytes],
      run: async ({ store }) => {
        const larger = random(3).bytes(3_000)
        const view = new Uint8Array(larger.buffer, 1_000, 500)
        await set(store, 'view', view)
        assertSame(await readValue(store, 'view'), larger.slice(1_000, 1_500))
        await set(store, 'buffer', Buffer.from(larger.buffer, 2_999, 1))
        assertSame(await readValue(store, 'buffer'), larger.slice(2_999))
        await set(store, 'empty', larger.subarray(10, 10))
        assertSame(await readValue(store, 'empty'), new Uint8Array())
      },
    },
    {
      title: 'a Buffer and a Uint8Array of the same bytes are the same value',
      needs: [bytes],
      run: async ({ store }) => {
        await set(store, 'buffer', Buffer.from(everyByte))
        await set(store, 'array', everyByte)
        const [buffer, array] = await readValues(store, ['buffer', 'array'])
        assertSame(buffer, everyByte)
        assertSame(array, everyByte)
      },
    },
  ],
}

async function assertRoundTrips(
  store: Parameters<typeof setAll>[0],
  values: readonly Uint8Array[],
): Promise<void> {
  const keys = values.map((_, i) => `value ${i}`)
  await setAll(
    store,
    values.map((value, i) => [keys[i] as string, value]),
  )
  assertAllSame(await readValues(store, keys), values, 'value')
  for (const i of [0, values.length - 1]) assertSame(await readValue(store, keys[i] as string), values[i])
}
