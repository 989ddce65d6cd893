import { createHash, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { keyValue } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { describe, expect, test } from 'vitest'
import {
  type CompressOptions,
  compress,
  compression,
  decompress,
  dictionaryGain,
  dictionaryId,
  trainDictionary,
} from '../src/index.ts'
import { codeOf, prose, record } from './samples.ts'

const dictionary = Buffer.from([1, 2, 3].map(record).join(''))
const other = Buffer.from([4, 5].map(record).join(''))
const bytesOf = (n: number): Buffer => Buffer.from(record(n))

describe.each(['deflate', 'zstd'] as const)('%s with a dictionary', (algorithm) => {
  test('gives back any value, at any level, on the thread and on the pool', async () => {
    const dictionaries = [dictionary]
    for (const level of [1, 9])
      for (const length of [0, 1, 31, 32, 200, 4000, 8193, 65_536, 65_537])
        for (const value of [prose(length), new Uint8Array(length), randomBytes(length)]) {
          const frame = await compress(value, { algorithm, level, dictionary })
          expect(frame.length).toBeLessThanOrEqual(length + 6)
          expect(Buffer.compare(await decompress(frame, { dictionaries }), value)).toBe(0)
          const atOnce = compress(value, { algorithm, level, dictionary, threads: false }) as Buffer
          expect(Buffer.compare(await decompress(atOnce, { dictionaries, threads: false }), value)).toBe(0)
        }
  })

  test('makes small values much smaller, and names the dictionary in the record', async () => {
    const value = bytesOf(9)
    const frame = (await compress(value, { algorithm, dictionary })) as Buffer
    const without = await compress(value, { algorithm, minBytes: 0 })
    expect(frame.length).toBeLessThan(0.6 * without.length)
    const id = createHash('sha256').update(dictionary).digest().subarray(0, 8)
    expect([frame[1], frame.subarray(6, 14)]).toEqual([algorithm === 'deflate' ? 130 : 132, id])
    expect(dictionaryId(dictionary)).toBe(id.toString('hex'))
  })

  test('stores what it does not make smaller', async () => {
    const noise = randomBytes(500)
    expect(await compress(noise, { algorithm, dictionary })).toEqual(
      Buffer.concat([Buffer.from('c100000001f4', 'hex'), noise]),
    )
  })

  test('refuses a record whose dictionary is unknown, and names it', async () => {
    const frame = await compress(bytesOf(9), { algorithm, dictionary })
    for (const options of [{}, { dictionaries: [other] }]) {
      expect(await codeOf(() => decompress(frame, options))).toBe('INVALID_CONFIG')
      expect(() => decompress(frame, options)).toThrow(dictionaryId(dictionary))
    }
  })

  test('reads what it wrote even if the given bytes change afterwards', async () => {
    const given = Buffer.from(dictionary)
    const store = memory()
    const kv = keyValue(store, [compression({ algorithm, dictionary: given })])
    given.fill(0)
    await kv.set('a', bytesOf(9))
    expect(await kv.get('a')).toEqual(bytesOf(9))
    const reader = keyValue(store, [compression({ dictionaries: [dictionary] })])
    expect(await reader.get('a')).toEqual(bytesOf(9))
  })
})

test('dictionaries are rotated while records of the old ones stay readable', async () => {
  const store = memory()
  const before = keyValue(store, [compression({ algorithm: 'deflate', dictionary })])
  await before.set('old', bytesOf(9))
  const after = keyValue(store, [
    compression({ algorithm: 'zstd', dictionary: other, dictionaries: [dictionary] }),
  ])
  await after.set('new', bytesOf(10))
  expect(await after.getMany(['old', 'new'])).toEqual([bytesOf(9), bytesOf(10)])
  expect(await codeOf(() => before.get('new'))).toBe('INVALID_CONFIG')
  await after.set('old', (await after.get('old')) as Buffer)
  const done = keyValue(store, [compression({ dictionaries: [other] })])
  expect(await done.getMany(['old', 'new'])).toEqual([bytesOf(9), bytesOf(10)])
})

test('one record of an unknown dictionary leaves the others of a batch readable', async () => {
  const store = memory()
  await keyValue(store, [compression({ algorithm: 'deflate', dictionary })]).set('a', bytesOf(9))
  const kv = keyValue(store, [compression()])
  await kv.set('b', bytesOf(10))
  expect(await codeOf(() => kv.getMany(['a', 'b']))).toBe('PARTIAL')
  expect(await kv.get('b')).toEqual(bytesOf(10))
})

const bad: readonly [string, CompressOptions][] = [
  ['an empty dictionary', { algorithm: 'zstd', dictionary: Buffer.alloc(0) }],
  ['a dictionary over 128 KiB', { algorithm: 'zstd', dictionary: Buffer.alloc(131_073) }],
  ['a dictionary of text', { algorithm: 'zstd', dictionary: 'text' as never }],
  ['a dictionary for gzip', { algorithm: 'gzip', dictionary }],
  ['a dictionary for lz4', { algorithm: 'lz4', dictionary }],
  ['17 dictionaries', { dictionaries: Array.from({ length: 17 }, (_, i) => Buffer.of(i)) }],
  ['dictionaries that are no list', { dictionaries: dictionary as never }],
]

test.each(bad)('%s is refused', (_, options) => {
  expect(() => compression(options as never)).toThrow(expect.objectContaining({ code: 'INVALID_CONFIG' }))
})

describe('trainDictionary', () => {
  const samples = Array.from({ length: 300 }, (_, n) => bytesOf(n * 7))
  const held = Array.from({ length: 100 }, (_, n) => bytesOf(n * 11 + 3))

  test('makes the records of like values less than half as long, and keeps to its size', () => {
    for (const maxBytes of [256, 4096]) {
      const trained = trainDictionary(samples, { maxBytes })
      expect(trained.length).toBeLessThanOrEqual(maxBytes)
      const gain = dictionaryGain(held, trained)
      expect(gain.with).toBeLessThan(0.5 * gain.without)
      expect([gain.samples, gain.bytes]).toEqual([100, Buffer.concat(held).length])
    }
  })

  test('gives the same for the same samples, whatever buffer they are in', () => {
    const views = samples.map((sample) =>
      new Uint8Array(Buffer.concat([Buffer.alloc(3), sample])).subarray(3),
    )
    const [first, second] = [samples, views].map((each) => trainDictionary(each, { maxBytes: 1024 }))
    expect(first).toEqual(second)
  })

  test('takes nothing that only one sample has', () => {
    const secret = 'a-secret-of-one-sample-that-is-long'
    const trained = trainDictionary([...samples, Buffer.from(secret.repeat(50))], { maxBytes: 8192 })
    expect(trained.includes(secret.slice(0, 16))).toBe(false)
  })

  test('refuses samples that are too few or have nothing in common, and sizes out of range', () => {
    const noise = Array.from({ length: 100 }, () => randomBytes(200))
    const wrong = [
      [samples.slice(0, 7), {}, 'INVALID_ARGUMENT'],
      [Array.from({ length: 20 }, () => Buffer.alloc(0)), {}, 'INVALID_ARGUMENT'],
      [noise, {}, 'INVALID_ARGUMENT'],
      [samples, { maxBytes: 255 }, 'INVALID_CONFIG'],
      [samples, { maxBytes: 131_073 }, 'INVALID_CONFIG'],
      [samples, { maxBytes: 1000.5 }, 'INVALID_CONFIG'],
    ] as const
    for (const [each, options, code] of wrong)
      expect(() => trainDictionary(each, options)).toThrow(expect.objectContaining({ code }))
  })

  test('thins out what is too much, and takes all kinds of samples', () => {
    const page = (n: number): Buffer =>
      Buffer.from(`<article class="product-page" data-number="${n}"><h1>Product</h1></article>`.repeat(10))
    const many = Array.from({ length: 4000 }, (_, n) => (n < 2000 ? page(n) : bytesOf(n)))
    const trained = trainDictionary(many, { maxBytes: 2048 })
    expect(trained.includes('article class="product-page"')).toBe(true)
    expect(trained.includes('"createdAt"')).toBe(true)
  })
})

test('a dictionary by zstd --train serves as well', async () => {
  const text = readFileSync(new URL('golden/frames.json', import.meta.url), 'utf8')
  const golden = JSON.parse(text) as readonly { name: string; dictionary: string; value: string }[]
  const { dictionary: trained, value } = golden.find(({ name }) =>
    name.includes('trained'),
  ) as (typeof golden)[0]
  const options = { algorithm: 'zstd', dictionary: Buffer.from(trained, 'hex') } as const
  const frame = await compress(Buffer.from(value, 'hex'), options)
  expect(frame.length).toBeLessThan(70)
  expect(await decompress(frame, { dictionaries: [options.dictionary] })).toEqual(Buffer.from(value, 'hex'))
})
