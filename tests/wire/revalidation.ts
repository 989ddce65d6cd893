import { randomBytes } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { cache } from '@unikv/cache'
import { type Capabilities, isEntry, keyValue, type Store } from '@unikv/core'
import type { NetworkRun } from '@unikv/test-kit/vitest'
import { describe, expect, test } from 'vitest'
import { bytesOf, type Counted, type Exchange, exchange, repetitions, usualExchange } from './exchange.ts'

/** A store that declares `conditionalRead`, behind a network whose bytes are counted. */
export interface Revalidation<V> {
  /** Names the row of the table in docs/proofs/figures/revalidation.tsv. */
  readonly store: string
  /** Where the server is, past any proxy. */
  readonly url: string
  readonly proxy: () => Promise<Counted>
  /** A store all of whose connections go to this address; each call over the same records. */
  readonly open: (url: string) => Store<V, Capabilities & { readonly conditionalRead: true }>
  /** Another value of so many bytes each time. */
  readonly value: (size: number) => V
  /** Bytes of a value. @default 1,000,000 */
  readonly size?: number | undefined
  readonly report: NetworkRun['report']
}

/** The bound, in bytes of both directions. */
const mostBytes = 1_000
/** Making a table takes its time. */
const unhurried = { timeoutMs: 60_000 } as const

/** Bytes that nobody can compress. */
export const someBytes = (size: number): Uint8Array => randomBytes(size)

/** A document around a text of that size. */
export const someDocument = (size: number): { readonly text: string } => ({
  text: randomBytes(Math.ceil(size / 2))
    .toString('hex')
    .slice(0, size),
})

/** Declares the tests that a known value does not travel again, and that another one does. */
export function testRevalidation<V>(revalidation: Revalidation<V>): void {
  const { store, url, open, report, value, size = 1_000_000 } = revalidation
  const bytes = size.toLocaleString('en')

  describe(`revalidation on ${store}`, () => {
    test(`an unchanged value of ${bytes} bytes moves less than ${mostBytes}, a changed one all of it`, async () => {
      await using setting = await prepared()
      const { proxy, writer, key, first } = setting
      await using reader = keyValue(open(proxy.url), [], unhurried)

      const read = await exchange(proxy, () => reader.getEntry(key))
      expect(isSame(read.result?.value, first)).toBe(true)
      expectWhole(read)
      const version = String(read.result?.version)
      await reader.revalidate(key, version)
      const same = await usualExchange(proxy, () => reader.revalidate(key, version))
      expect(same.result).toMatchObject({ notModified: true, version })

      const second = value(size)
      await writer.set(key, second)
      const changed = await exchange(proxy, () => reader.revalidate(key, version))
      expect(isEntry(changed.result) && isSame(changed.result.value, second)).toBe(true)
      expectWhole(changed)
      report({ store, size, call: 'changed', ...changed.traffic })
      expectLittle('known here', same)
    })

    test(`a stale entry of a cache is renewed with less than ${mostBytes} bytes, a changed one with all of it`, async () => {
      await using setting = await prepared()
      const { proxy, writer, key, first } = setting
      const near = cache({ freshForMs: 0 })
      await using reader = keyValue(open(proxy.url), [near], unhurried)

      expectWhole(await exchange(proxy, () => reader.get(key)))
      await reader.get(key)
      const same = await usualExchange(proxy, () => reader.get(key))
      expect(isSame(same.result, first)).toBe(true)
      expect(near.stats().revalidations).toBe(1 + repetitions)

      const second = value(size)
      await writer.set(key, second)
      const changed = await exchange(proxy, () => reader.get(key))
      expect(isSame(changed.result, second)).toBe(true)
      expectWhole(changed)
      expectLittle('stale entry', same)
    })

    test(`a version that this process has not read moves less than ${mostBytes} bytes`, async () => {
      await using setting = await prepared()
      const { proxy, writer, key } = setting
      const keys = Array.from({ length: 1 + repetitions }, (_, n) => `${key} ${n}`)
      const versions: string[] = []
      for (const one of keys) versions.push(String((await writer.set(one, value(size))).version))
      await using reader = keyValue(open(proxy.url), [], unhurried)
      const revalidate = (n: number) => reader.revalidate(keys[n] as string, versions[n] as string)

      await revalidate(repetitions)
      const same = await usualExchange(proxy, revalidate)
      await writer.deleteMany(keys)
      expect(same.result).toMatchObject({ notModified: true })
      expectLittle('from elsewhere', same)
    })
  })

  /** The value travels: so what counts, counts. */
  function expectWhole({ traffic }: Exchange<unknown>): void {
    expect(traffic.responseBytes).toBeGreaterThan(size)
  }

  function expectLittle(call: string, { traffic }: Exchange<unknown>): void {
    report({ store, size, call, ...traffic })
    expect(traffic.requestBytes).toBeGreaterThan(0)
    expect(traffic.responseBytes).toBeGreaterThan(0)
    expect(bytesOf(traffic)).toBeLessThan(mostBytes)
  }

  /** A proxy, and a record that is written past it. */
  async function prepared() {
    const [proxy, writer] = [await revalidation.proxy(), keyValue(open(url), [], unhurried)]
    const key = `wire ${randomBytes(8).toString('hex')}`
    const first = value(size)
    await writer.set(key, first)
    return {
      proxy,
      writer,
      key,
      first,
      async [Symbol.asyncDispose]() {
        await writer.delete(key)
        await writer.close()
        await proxy[Symbol.asyncDispose]()
      },
    }
  }
}

/** As `toEqual`, which takes seconds for a million bytes. */
function isSame(a: unknown, b: unknown): boolean {
  const areBytes = a instanceof Uint8Array && b instanceof Uint8Array
  return areBytes ? Buffer.compare(a, b) === 0 : isDeepStrictEqual(a, b)
}
