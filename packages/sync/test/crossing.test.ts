import { json, keyValue, type StoreError } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { structured } from '@unikv/core/structured'
import { sync } from '@unikv/core/sync'
import { syncFrom } from '@unikv/sync'
import { expect, test } from 'vitest'

const execArgv: readonly string[] = []
const fixture = (name: string): URL => new URL(`./fixtures/${name}.mjs`, import.meta.url)

class Price {
  readonly #cents = 5
  get cents(): number {
    return this.#cents
  }
}

const cyclic: Record<string, unknown> = {}
cyclic['self'] = cyclic

const values: Readonly<Record<string, unknown>> = {
  url: { at: new URL('http://x/y') },
  privateField: { price: new Price() },
  classInstance: [
    new (class Point {
      readonly x = 1
    })(),
  ],
  subclassOfMap: new (class Own extends Map {})(),
  function: { f: () => 1 },
  symbol: { s: Symbol('s') },
  error: { e: new Error('e') },
  regExp: { r: /a/ },
  weakMap: { w: new WeakMap() },
  promise: Promise.resolve(1),
  proxy: new Proxy({ a: 1 }, {}),
  date: { d: new Date(5) },
  map: new Map([[{ a: 1 }, new Set([1n])]]),
  numbers: [-0, Number.NaN, Number.POSITIVE_INFINITY, 1e300],
  holes: [1, , 3], // oxlint-disable-line no-sparse-arrays -- the case
  undefinedInside: { a: undefined, b: [undefined] },
  cyclic,
  nullPrototype: Object.assign(Object.create(null) as object, { a: 1 }),
  ownProto: JSON.parse('{"__proto__":{"a":1}}') as unknown,
  bytes: { b: new Uint8Array([1, 2]) },
  buffer: Buffer.from('ab'),
  undefined: undefined,
  null: null,
  text: '\u{1F600}\uD800',
}

/** The value that comes back, or the code of the refusal. */
function outcome(
  kv: { set(key: string, value: unknown): unknown; get(key: string): unknown },
  value: unknown,
): unknown {
  try {
    kv.set('k', value)
  } catch (error) {
    return (error as StoreError).code
  }
  return kv.get('k')
}

for (const [stack, here, there] of [
  ['json', sync(keyValue(memory(), [json()])), 'json'],
  ['structured', sync(keyValue(memory(), [structured()])), 'memory'],
] as const) {
  test(`each value through ${stack} in another thread fares as it does in this one`, () => {
    const remote = syncFrom<string, unknown>(fixture(there), { execArgv })
    const local = here as unknown as typeof remote
    const fared = (kv: typeof remote): unknown =>
      Object.fromEntries(Object.entries(values).map(([name, value]) => [name, outcome(kv, value)]))
    expect(fared(remote)).toStrictEqual(fared(local))
    expect(outcome(remote, values['url'])).toBe('INVALID_VALUE')
    remote.close()
  })
}

test('what the module would lose on the way back is refused as well', () => {
  const kv = syncFrom<string, unknown>(fixture('silent'), { execArgv, exportName: 'classes' })
  kv.set('a', 1)
  expect(() => kv.get('a')).toThrow(expect.objectContaining({ code: 'INVALID_VALUE' }))
  kv.close()
})

test('arguments that cannot cross are named by what they are', () => {
  const kv = syncFrom<unknown, unknown>(fixture('json'), { execArgv })
  const code = (work: () => unknown): string => {
    try {
      return String(work())
    } catch (error) {
      return (error as StoreError).code
    }
  }
  expect(code(() => kv.get(() => 1))).toBe('INVALID_KEY')
  expect(code(() => kv.set('a', 1, { ttlMs: (() => 1) as never }))).toBe('INVALID_ARGUMENT')
  expect(code(() => kv.getMany('abc' as never))).toBe('INVALID_ARGUMENT')
  expect(code(() => kv.setMany(undefined as never))).toBe('INVALID_ARGUMENT')
  expect(code(() => kv.get('a', { signal: { aborted: false } as AbortSignal }))).toBe('UNSUPPORTED')
  expect(code(() => kv.update('a', async () => 1))).toBe('INVALID_ARGUMENT')
  for (const options of [null, 5, { ttl: 5 }])
    expect(code(() => kv.update('a', () => undefined, options as never))).toBe('INVALID_ARGUMENT')
  for (const options of [null, [], new Map()])
    expect(code(() => [...kv.keys(options as never)])).toBe('INVALID_ARGUMENT')
  kv.close()
})
