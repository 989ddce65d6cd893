import { json, keyValue, open } from 'unikv'
import { expect, test } from 'vitest'

// A URL that is known at run time only: what the program needs is checked when it opens, and is in the type.

test('needs give operations and options, in namespaces too', async () => {
  const store = open(String('memory:'), { needs: ['ttl', 'conditionalWrite', 'orderedScan'] })
  const kv = keyValue(store, [json<{ n: number }>()]).namespace('inner')
  await kv.set('a', { n: 1 }, { ttlMs: 60_000, ifVersion: null })
  await kv.update('a', (value) => value && { n: value.n + 1 })
  for await (const key of kv.keys({ gte: 'a' })) expect(key).toBe('a')
  // @ts-expect-error not among the needs
  await kv.touch('a', { ttlMs: 1000 })
})

test('without needs nothing is promised', () => {
  const kv = keyValue(open(String('memory:')), [json()])
  // @ts-expect-error not known to expire
  const set = (): unknown => kv.set('a', 1, { ttlMs: 1000 })
  expect(set).toBeDefined()
})

test('the URL of a known scheme keeps what its type says', () => {
  const kv = keyValue(open('memory:', { needs: ['ttl'] }), [json()])
  const touch = (): Promise<boolean> => kv.touch('a', { ttlMs: 1000 })
  expect(touch).toBeDefined()
})

test.each([
  [
    'memcached://127.0.0.1:1',
    ['scan', 'ttl'],
    /^memcached does not declare scan, which `needs` requires\. Choose another store\.$/,
  ],
  [
    's3://some-bucket?region=eu&endpoint=http://127.0.0.1:1',
    ['touch', 'increment'],
    /^s3 does not declare touch, increment, which `needs` requires/,
  ],
] as const)('%s: what it lacks is told when it opens', (url, needs, message) => {
  expect(() => open(String(url), { needs })).toThrow(message)
  expect(() => open(String(url), { needs })).toThrow(expect.objectContaining({ code: 'UNSUPPORTED' }))
})

test('a need that is not a feature is refused', () => {
  // @ts-expect-error not a feature
  expect(() => open('memory:', { needs: ['expiry'] })).toThrow(/'expiry' is not a feature/)
  // @ts-expect-error not a list
  expect(() => open('memory:', { needs: 'ttl' })).toThrow(/needs must be a list of features/)
})

test('options that are undefined are options left out', () => {
  expect(open('memory:', { needs: undefined, dataset: undefined, name: undefined }).name).toBe('memory')
})
