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
