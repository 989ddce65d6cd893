import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { type Capabilities, isStoreError, keyValue, type Store } from '@unikv/core'
import type { AnyKeyValue } from '../fixture.ts'
import { defaultPatienceMs } from '../patience.ts'
import { type Random, random } from '../random.ts'
import { within } from '../within.ts'
import type { DeedSetting } from './deeds.ts'
import type { NetworkOptions, NetworkProxy } from './network-options.ts'
import { checkReadError } from './reads.ts'
import { roughly, Stopwatch, strictly } from './settling.ts'

/** Parts of one case: a store behind a proxy of its own, and a view past it. */
export interface NetworkFixture extends DeedSetting {
  readonly store: Store<unknown>
  readonly capabilities: Capabilities
  readonly proxy: NetworkProxy
  readonly versions: boolean
  /** How long a condition is waited for, in milliseconds. */
  readonly patienceMs: number
  readonly rounds: number
  readonly random: Random
  readonly watch: Stopwatch
  readonly restart: () => Promise<unknown>
  /** Replies that were lost so far. */
  lostReplies: number
  /** A key that no other case uses. */
  readonly key: (name: string) => string
  /** A KeyValue of its own over the store. */
  readonly keyValue: (settings?: { readonly graceMs?: number; readonly timeoutMs?: number }) => AnyKeyValue
  /** Another store behind the proxy. */
  readonly another: (settings?: { readonly graceMs?: number }) => Promise<AnyKeyValue>
  /** Resolve when the store reads and writes again; fail if that takes too long. */
  readonly recovered: (keys?: readonly string[]) => Promise<void>
  /** Close everything. */
  readonly end: () => Promise<void>
}

/** Open what a case needs. */
export async function openNetwork(options: NetworkOptions<unknown>, seed: number): Promise<NetworkFixture> {
  const { patienceMs = defaultPatienceMs } = options
  const opened: Store<unknown>[] = []
  const proxy = await options.proxy()
  const open = async (): Promise<Store<unknown>> => {
    const store = await options.open(proxy.url, proxy)
    opened.push(store)
    return store
  }
  const store = await open()
  const past = await options.direct(store)
  const value = options.value ?? ((n) => Buffer.from(`value ${n}`))
  const space = randomBytes(6).toString('hex')
  const watch = new Stopwatch((options.rounds ?? 1) > 1 ? strictly : roughly)
  let keys = 0
  const over = (settings: object = {}) =>
    keyValue(store, [], { timeoutMs: patienceMs, ...settings }) as unknown as AnyKeyValue
  const kv = over()
  const direct = keyValue(past, [], { timeoutMs: patienceMs }) as unknown as AnyKeyValue
  const key = (name: string): string => `${space} ${name} ${keys++}`
  const probe = key('probe')
  return {
    store,
    capabilities: store.capabilities,
    proxy,
    kv,
    direct,
    value,
    settings: {},
    versions: options.foreign !== true,
    patienceMs,
    rounds: options.rounds ?? 1,
    random: random(seed),
    watch,
    restart: async () => options.restart?.(),
    lostReplies: 0,
    key,
    keyValue: over,
    another: async (settings = {}) =>
      keyValue(await open(), [], { timeoutMs: patienceMs, ...settings }) as unknown as AnyKeyValue,
    recovered: (used = []) => recovered({ kv, patienceMs }, [probe, ...used], value(1)),
    end: async () => {
      watch.stop()
      proxy.pass()
      for (const one of opened) {
        await within(patienceMs, 'To close a store', one.close())
        await options.discard?.(one)
      }
      await within(patienceMs, 'To close the store past the proxy', direct.close())
      await proxy.close()
    },
  }
}

async function recovered(
  { kv, patienceMs }: Pick<NetworkFixture, 'kv' | 'patienceMs'>,
  keys: readonly string[],
  value: unknown,
): Promise<void> {
  const giveUpAt = performance.now() + patienceMs
  const left = (): { timeoutMs: number } => ({ timeoutMs: Math.max(1, giveUpAt - performance.now()) })
  let last: unknown
  const works = async (run: () => Promise<unknown>): Promise<boolean> => {
    try {
      await run()
      return true
    } catch (error) {
      last = error
      if (!isStoreError(error) || error.code !== 'OUTCOME_UNKNOWN') checkReadError(error)
      return false
    }
  }
  for (const key of keys) {
    const write = (): Promise<unknown> => kv.set(key, value, left())
    const read = (): Promise<unknown> => kv.get(key, left())
    while (!((await works(write)) && (await works(read)))) {
      assert.ok(
        performance.now() < giveUpAt,
        `the store works again within ${patienceMs} ms after the fault, without being opened anew: ${String(last)}`,
      )
      await pause(20)
    }
  }
}
