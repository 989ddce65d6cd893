import { isStoreError, remove } from '@unikv/core'
import { syncFrom } from '@unikv/sync'
import { describeWith } from '@unikv/test-kit/vitest'
import { expect, test } from 'vitest'

// vitest's own options let packages resolve to TypeScript sources, which only vitest can load.
const execArgv: readonly string[] = []
const fixture = (name: string): URL => new URL(`./fixtures/${name}.mjs`, import.meta.url)

test('values, errors and missing keys cross the threads as they are', () => {
  const kv = syncFrom<string, unknown>(fixture('memory'), { execArgv })
  const value = { at: new Date(5), ids: new Set([1n]), bytes: new Uint8Array([1, 2]) }
  expect(kv.set('a', value)).toHaveProperty('version')
  expect(kv.get('a')).toEqual(value)
  expect(kv.get('b')).toBeUndefined()
  expect(kv.getMany(['a', 'b'])).toEqual([value, undefined])
  expect(() => kv.get('')).toThrow(
    expect.objectContaining({ code: 'INVALID_KEY', operation: 'get', store: 'memory' }),
  )
  expect(() => kv.set('a', 1, { ifVersion: null })).toThrow(
    expect.objectContaining({ code: 'CONDITION_FAILED' }),
  )
  expect(() => kv.get('a', { signal: new AbortController().signal })).toThrow(
    expect.objectContaining({ code: 'UNSUPPORTED' }),
  )
  expect(() => kv.native).toThrow(expect.objectContaining({ code: 'UNSUPPORTED' }))
  expect(kv.clear({ all: true })).toBe(1)
})

test('update, scans and namespaces work over pages', () => {
  const kv = syncFrom<string, number>(fixture('memory'), { execArgv }).namespace('pages')
  for (let i = 0; i < 25; i++) kv.set(`k${String(i).padStart(2, '0')}`, i)
  expect(kv.update('k00', (value) => (value ?? 0) + 100)).toBe(100)
  expect(kv.update('k01', () => remove)).toBeUndefined()
  expect(kv.update('k02', () => undefined)).toBe(2)
  expect(Array.from(kv.keys({ pageSize: 4 }))).toHaveLength(24)
  expect(Array.from(kv.keys({ pageSize: 4, limit: 6 }))).toHaveLength(6)
  expect(Array.from(kv.entries({ prefix: 'k2' }), ([key, { value }]) => [key, value])).toEqual(
    [20, 21, 22, 23, 24].map((n) => [`k${n}`, n]),
  )
  expect(kv.count()).toBe(24)
  expect(kv.clear({ all: true })).toBe(24)
})

test('a module without a KeyValue says so', () => {
  expect(() => syncFrom(fixture('memory'), { execArgv, exportName: 'notAStore' })).toThrow(
    /does not export a KeyValue named notAStore/,
  )
  expect(() => syncFrom(fixture('absent'), { execArgv })).toThrow(
    expect.objectContaining({ code: 'INVALID_CONFIG', retryable: false }),
  )
  expect(() => syncFrom(fixture('memory'), { execArgv, exportName: 'failing' })).toThrow(/cannot open/)
  expect(() => syncFrom(fixture('memory'), { execArgv, blockMs: 0 })).toThrow(/blockMs/)
})

for (const kind of ['redis', 'mariadb'] as const) {
  describeWith(kind, (url) => {
    test(`a synchronous program works on ${kind}`, () => {
      const kv = syncFrom<string, { n: number }>(new URL(`?url=${encodeURIComponent(url)}`, fixture(kind)), {
        execArgv,
      })
      kv.clear({ all: true })
      const { version } = kv.set('a', { n: 1 })
      expect(kv.getEntry('a')).toMatchObject({ value: { n: 1 }, version })
      expect(kv.update('a', (value) => ({ n: (value?.n ?? 0) + 1 }))).toEqual({ n: 2 })
      expect(
        kv
          .setMany([
            ['b', { n: 3 }],
            ['c', { n: 4 }],
          ])
          .some(isStoreError),
      ).toBe(false)
      expect(Array.from(kv.keys()).sort()).toEqual(['a', 'b', 'c'])
      expect(kv.deleteMany(['a', 'b', 'c']).some(isStoreError)).toBe(false)
      expect(kv.count()).toBe(0)
      kv.close()
      expect(() => kv.get('a')).toThrow(expect.objectContaining({ code: 'CLOSED' }))
    })
  })
}

test('a function that the module exports is called once', () => {
  const kv = syncFrom<string, number>(fixture('made'), { execArgv })
  kv.set('k', 1)
  expect(kv.get('k')).toBe(1)
  kv.close()
})

test('close ends the thread from its KeyValue only, twice if need be, and whatever the module exports', () => {
  const kv = syncFrom<string, number>(fixture('memory'), { execArgv })
  kv.namespace('view').close()
  for (const name of [Symbol('s'), () => 'x', ''])
    expect(() => kv.namespace(name as string)).toThrow(expect.objectContaining({ code: 'INVALID_KEY' }))
  kv.set('k', 1)
  expect(kv.get('k')).toBe(1)
  kv.close()
  kv.close()
  expect(() => kv.get('k')).toThrow(expect.objectContaining({ code: 'CLOSED' }))
  const closeless = syncFrom(fixture('memory'), { execArgv, exportName: 'closeless' })
  expect(closeless.get('k')).toBe(5)
  closeless.close()
})

test('update, listings and settings refuse what they cannot use, and nothing is left to fail later', () => {
  const kv = syncFrom<string, unknown>(fixture('memory'), { execArgv })
  const wrong = expect.objectContaining({ code: 'INVALID_ARGUMENT' }) as unknown
  expect(() => kv.update('k', () => Promise.reject(new Error('mine')))).toThrow(wrong)
  expect(() => kv.update('k', 5 as never)).toThrow(wrong)
  expect(() => Array.from(kv.keys(null as never))).toThrow(wrong)
  const given = Buffer.from('pooled')
  const updated = kv.update('k', () => given) as Uint8Array
  given.fill(0)
  expect(updated).toEqual(new Uint8Array(Buffer.from('pooled')))
  kv.close()
  for (const options of [{ exportName: 5 }, { execArgv: 'x' }])
    expect(() => syncFrom(fixture('memory'), { execArgv, ...(options as object) })).toThrow(
      expect.objectContaining({ code: 'INVALID_CONFIG' }),
    )
})

test('an error crosses with the place in the value and with what was done', () => {
  const js = syncFrom<string, unknown>(fixture('json'), { execArgv })
  expect(() => js.set('k', { a: [new Date()] })).toThrow(expect.objectContaining({ path: ['a', 0] }))
  expect(() => js.set('k', { a: [() => 1] })).toThrow(expect.objectContaining({ path: ['a', 0] }))
  js.close()
  const kv = syncFrom<string, number>(fixture('memory'), { execArgv, exportName: 'breaks' })
  kv.setMany(Array.from({ length: 1500 }, (_, i) => [`k${i}`, i] as const))
  expect(() => kv.clear({ all: true })).toThrow(expect.objectContaining({ done: 1000 }))
  kv.close()
})
