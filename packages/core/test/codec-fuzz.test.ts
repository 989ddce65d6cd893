import { performance } from 'node:perf_hooks'
import { describe, expect, test } from 'vitest'
import { callOptions, decodeRecord, encodeRecord, incremented } from '../src/adapter/index.ts'
import { structured } from '../src/codecs/structured.ts'
import {
  type Bytes,
  compose,
  type Entry,
  isStoreError,
  json,
  type Layer,
  newVersion,
  StoreError,
  text,
} from '../src/index.ts'
import { decodeCursor, encodeCursor } from '../src/keys/cursor.ts'
import { tupleKey } from '../src/keys/key-codec.ts'
import { memory } from '../src/memory/memory.ts'

// What a store may give back, in each decoder of core: a value or a StoreError, at once, and nothing else changed.
// The long form: npm run prove -- codec-fuzz

const inputs = Number(process.env['UNIKV_INPUTS'] ?? 3_000)
const seed = Number(process.env['UNIKV_SEED'] ?? 1)
/** Times and memory are looked at in the long form only: here other tests keep the machine busy. */
const isLong = inputs >= 1_000_000

/** mulberry32, as the test kit has it. */
function randomOf(start: number): (limit: number) => number {
  let state = start >>> 0
  return (limit) => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 4_294_967_296) * limit)
  }
}

/** Through a layer, as reads of a stack do it. */
function through(codec: Layer<Bytes, unknown>): (bytes: Bytes) => unknown {
  let stored: Bytes = Buffer.alloc(0)
  const slot = {
    ...memory(),
    read: (): Entry<Bytes>[] => [{ value: stored, version: undefined, expiresAt: undefined }],
  }
  const store = compose(slot, [codec as Layer<Bytes, Bytes>])
  const call = callOptions()
  return (bytes) => {
    stored = bytes
    const results = store.read([{ key: 'k' }], call) as readonly unknown[]
    if (isStoreError(results[0])) throw results[0]
    return results[0]
  }
}

const range = { prefix: 'u/', pageSize: 10, values: false } as const
const objects = [
  '{"__proto__":{"a":1},"constructor":{"prototype":[1,2]}}',
  '[[[]],{"a":{"b":[null,-0.5e3]}}]',
  '"ü"',
]
const nodes = [
  '[1,["o","__proto__",1,"b",2],["o","polluted",3],["m",0,1],true]',
  '[1,["a",1,-1,2],["d",0],["s",3,0],["y","AAEC"]]',
  '[1,["b","12345678901234567890"],["n","-0"],["u"]]',
]
const tuple = tupleKey()

/** Each decoder, with what it reads when nobody has touched it. */
const decoders: readonly [string, (bytes: Bytes) => unknown, readonly Bytes[]][] = [
  ['json', through(json()), objects.map((each) => Buffer.from(each))],
  ['structured', through(structured()), nodes.map((each) => Buffer.from(each))],
  ['text', through(text()), [Buffer.from('plain ü 𝄞'), Buffer.from('\u0000\uFFFF')]],
  [
    'record header',
    (bytes) => decodeRecord(Buffer.from(bytes)),
    [
      encodeRecord(Buffer.from('body'), newVersion(1e12), 2e12),
      encodeRecord(Buffer.alloc(0), newVersion(1), undefined),
    ],
  ],
  [
    'counter',
    (bytes) => {
      const result = incremented(bytes, {
        type: 'increment',
        key: 'k',
        by: 1,
        initial: 0,
        version: newVersion(1),
      })
      if (isStoreError(result)) throw result
      return result
    },
    ['0', '-9007199254740991', '12'].map((each) => Buffer.from(each)),
  ],
  [
    'cursor',
    (bytes) => decodeCursor('store', range, Buffer.from(bytes).toString('base64url')),
    [Buffer.from(encodeCursor('store', range, { resume: 'u/key' }), 'base64url')],
  ],
  [
    'key of parts',
    (bytes) => tuple.decode(Buffer.from(bytes).toString('utf8')),
    [Buffer.from(tuple.encode(['a', 1, true, 'ü/']))],
  ],
]

const tokens = [
  '[',
  ']',
  '{',
  '}',
  '"',
  ',',
  ':',
  '\\u0000',
  '\\',
  '-',
  '0',
  '1e999',
  'null',
  '"__proto__"',
  '["o",',
  '-1',
]

/** One input: noise, noise of the format's own words, a damaged good one, two joined, or one very deep. */
function inputOf(random: (limit: number) => number, good: readonly Bytes[]): Bytes {
  const seedOf = (): Buffer => Buffer.from(good[random(good.length)] as Bytes)
  switch (random(6)) {
    case 0:
      return Buffer.from(Array.from({ length: random(64) }, () => random(256)))
    case 1:
      return Buffer.from(Array.from({ length: random(40) }, () => tokens[random(tokens.length)]).join(''))
    case 2: {
      const bytes = seedOf()
      return Buffer.concat([bytes.subarray(0, random(bytes.length + 1)), seedOf().subarray(random(8))])
    }
    case 3:
      return random(50) > 0 ? seedOf() : Buffer.from((tokens[random(5)] as string).repeat(random(20_000)))
    default: {
      const bytes = seedOf()
      for (let flips = 1 + random(4); flips > 0 && bytes.length > 0; flips--)
        bytes[random(bytes.length)] =
          random(3) === 0 ? random(256) : ((tokens[random(tokens.length)] as string).codePointAt(0) as number)
      return bytes
    }
  }
}

describe.each(decoders)('the decoder of %s', (decoder, decode, good) => {
  test('reads what it wrote', () => {
    for (const bytes of good) expect(() => decode(bytes)).not.toThrow()
  })

  test(`answers ${inputs} hostile inputs with a value or a StoreError`, { timeout: 1_800_000 }, () => {
    const random = randomOf(seed)
    const prototype = Object.getOwnPropertyNames(Object.prototype)
    const counts = { values: 0, errors: 0 }
    let slowestMs = 0
    let before = 0
    for (let i = 0; i < inputs; i++) {
      if (i === Math.floor(inputs / 20)) before = process.memoryUsage.rss()
      const input = inputOf(random, good)
      const { isValue, ms } = timed(decode, input)
      if (isValue === undefined)
        throw new Error(`seed ${seed}, input ${i}: ${Buffer.from(input).toString('hex', 0, 200)}`)
      counts[isValue ? 'values' : 'errors']++
      // what was slow by itself is so again; what the machine was slow with is not
      slowestMs = Math.max(
        slowestMs,
        ms < 20 ? ms : Math.min(ms, timed(decode, input).ms, timed(decode, input).ms),
      )
    }
    const grownMiB = (process.memoryUsage.rss() - before) / 1_048_576
    expect(counts.values).toBeGreaterThan(0)
    expect(counts.errors).toBeGreaterThan(0)
    expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(prototype)
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false)
    if (!isLong) return
    console.log(JSON.stringify({ decoder, seed, inputs, ...counts, slowestMs, grownMiB }))
    expect(slowestMs).toBeLessThan(100)
    expect(grownMiB).toBeLessThan(64)
  })
})

/** Whether an input gave a value or a StoreError (`undefined`: another one), and how long that took. */
function timed(
  decode: (bytes: Bytes) => unknown,
  input: Bytes,
): { isValue: boolean | undefined; ms: number } {
  const start = performance.now()
  try {
    decode(input)
    return { isValue: true, ms: performance.now() - start }
  } catch (error) {
    return { isValue: isStoreError(error) ? false : undefined, ms: performance.now() - start }
  }
}

test('a cursor of brackets alone is refused, however deep', () => {
  for (const depth of [10, 3_000, 10_000, 30_000, 100_000, 200_000, 500_000]) {
    const cursor = Buffer.from('['.repeat(depth) + ']'.repeat(depth)).toString('base64url')
    expect(() => decodeCursor('store', range, cursor)).toThrow(StoreError)
  }
})
