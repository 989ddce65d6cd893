import { setTimeout as pause } from 'node:timers/promises'
import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import {
  causeOf,
  checkDatasetName,
  checkPositive,
  documentText,
  inParallel,
  unanswered,
  unreachable,
} from '../src/adapter/index.ts'
import type { Json } from '../src/index.ts'

describe('inParallel', () => {
  test.each([1, 3, 8, 100])('at %i at a time results stay in the order of the items', async (width) => {
    let running = 0
    let most = 0
    const items = Array.from({ length: 20 }, (_, i) => i)
    const results = await inParallel(items, width, async (item, index) => {
      running += 1
      most = Math.max(most, running)
      await pause((item * 7) % 5)
      running -= 1
      return `${item} at ${index}`
    })
    expect(results).toEqual(items.map((item) => `${item} at ${item}`))
    expect(most).toBe(Math.min(width, items.length))
  })

  test('nothing to do is done', async () => {
    expect(await inParallel([], 4, () => Promise.reject(new Error('never asked')))).toEqual([])
  })

  test('one that fails rejects the whole', async () => {
    const run = async (item: number): Promise<number> => {
      if (item === 3) throw new Error('three')
      return item
    }
    await expect(inParallel([1, 2, 3, 4, 5], 2, run)).rejects.toThrow('three')
  })
})

describe('the errors of adapters', () => {
  const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })

  test('what was not sent is UNAVAILABLE, and may be tried again', () => {
    expect(unreachable('127.0.0.1:1', refused)).toMatchObject({
      code: 'UNAVAILABLE',
      retryable: true,
      message: '127.0.0.1:1 cannot be reached (ECONNREFUSED); nothing was sent.',
      cause: refused,
    })
  })

  test.each(['CERT_HAS_EXPIRED', 'ERR_TLS_CERT_ALTNAME_INVALID', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'EPROTO'])(
    'no TLS that is trusted (%s) is UNAVAILABLE for good, and says what to look at',
    (code) => {
      const cause = Object.assign(new Error('as Node says it'), { code })
      expect(unreachable('127.0.0.1:1', cause)).toMatchObject({
        code: 'UNAVAILABLE',
        retryable: false,
        message: expect.stringMatching(
          `^No trusted TLS with 127.0.0.1:1 \\(${code}\\); nothing was sent. .*NODE_EXTRA_CA_CERTS`,
        ) as string,
        cause,
      })
    },
  )

  test('what was sent and not answered is unknown for a write, and harmless for a read', () => {
    expect(unanswered('127.0.0.1:1', true, refused)).toMatchObject({
      code: 'OUTCOME_UNKNOWN',
      retryable: false,
    })
    expect(unanswered('127.0.0.1:1', false, undefined)).toMatchObject({
      code: 'UNAVAILABLE',
      retryable: true,
    })
  })

  test('a cause keeps name, message and code, and nothing of the request', () => {
    const error = Object.assign(new TypeError('refused'), {
      code: 1045,
      command: 'AUTH hunter2',
      config: { password: 'hunter2' },
    })
    const cause = causeOf(error)
    expect(cause).toMatchObject({ name: 'TypeError', message: 'refused', code: 1045 })
    expect(inspect(cause, { depth: 9, showHidden: true })).not.toContain('hunter2')
  })

  test('secrets are masked in the message, wherever they stand', () => {
    const error = new Error('AUTH s3cr3t failed at redis://me:s3cr3t@host')
    expect(causeOf(error, ['s3cr3t', '']).message).toBe('AUTH *** failed at redis://me:***@host')
  })

  test('a cause without a message says its code, or its name', () => {
    expect(causeOf(Object.assign(new Error(''), { code: 'ECONNRESET' })).message).toBe('ECONNRESET')
    expect(causeOf(new RangeError('')).message).toBe('RangeError')
    expect(causeOf('hunter2').message).not.toContain('hunter2')
    expect(Object.hasOwn(causeOf(Object.assign(new Error('x'), { code: { a: 1 } })), 'code')).toBe(false)
  })
})

describe('options of adapters', () => {
  test.each(['a', 'users', 'a_1', `a${'b'.repeat(47)}`])('%s is a name of a dataset', (name) => {
    expect(() => checkDatasetName('table', name)).not.toThrow()
  })

  test.each([
    '',
    'Users',
    '1a',
    '_a',
    'a-b',
    'a.b',
    'a`b',
    "a'b",
    'ä',
    `a${'b'.repeat(48)}`,
    'a\n',
    7,
    null,
    undefined,
    ['a'],
  ])('%j is none', (name) => {
    expect(() => checkDatasetName('table', name)).toThrow(
      expect.objectContaining({ code: 'INVALID_CONFIG', message: expect.stringContaining('table') }),
    )
  })

  test('a limit is a whole number above 0', () => {
    expect(() => checkPositive({ connections: 1, queue: 1_000 })).not.toThrow()
    for (const value of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, '4', undefined])
      expect(() => checkPositive({ connections: 1, queue: value })).toThrow(/queue/)
  })
})

describe('documentText', () => {
  test.each<Json>([
    null,
    true,
    0,
    -1.5,
    '',
    'é😀\u0000',
    [],
    [1, [2, null]],
    { a: { b: [] }, '': 1, ['__proto__']: 2 },
  ])('%j goes as it is', (value) => {
    expect(JSON.parse(documentText(value))).toEqual(value)
    expect(documentText(value)).toBe(JSON.stringify(value))
  })

  test('a property that is undefined is left out, as in JSON', () => {
    expect(documentText({ a: 1, b: undefined })).toBe('{"a":1}')
  })

  const cyclic: Record<string, unknown> = {}
  cyclic['self'] = cyclic
  let deep: unknown = []
  for (let i = 0; i < 200_000; i++) deep = [deep]

  test.each<[string, unknown]>([
    ['undefined', undefined],
    ['undefined in a list', [undefined]],
    ['-0', { a: -0 }],
    ['NaN', [Number.NaN]],
    ['an infinity', Number.POSITIVE_INFINITY],
    ['a BigInt', { a: 1n }],
    ['a function', { a: () => 1 }],
    ['a symbol', [Symbol('s')]],
    ['a date', { at: new Date() }],
    ['a map', new Map()],
    ['a class instance', new (class A {})()],
    ['bytes', { a: Buffer.from('x') }],
    ['an object with toJSON', { a: { toJSON: () => 1 } }],
    ['a lone surrogate', 'a\ud800'],
    ['a lone surrogate in a name', { '\udc00': 1 }],
    ['a cycle', cyclic],
    ['what is too deep', deep],
  ])('%s is refused, and not shown', (_, value) => {
    expect(() => documentText(value as Json)).toThrow(expect.objectContaining({ code: 'INVALID_VALUE' }))
  })
})
