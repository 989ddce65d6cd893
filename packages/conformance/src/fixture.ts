import {
  type BatchCapability,
  type Capabilities,
  type KeyValue,
  keyValue,
  type ScanCapability,
  type Store,
  type TtlCapability,
  type Version,
} from '@unikv/core'
import { hostileKeys } from './hostile-keys.ts'
import { type Observed, observed } from './observed-store.ts'
import type { ConformanceOptions, TestClock } from './options.ts'
import { defaultPatienceMs } from './patience.ts'

/** A store that declares everything: the suite asks at run time, not in types. */
export interface EveryCapability extends Capabilities {
  readonly scan: ScanCapability & { readonly order: 'bytes'; readonly reverse: true }
  readonly conditionalWrite: true
  readonly conditionalRead: true
  readonly ttl: TtlCapability
  readonly touch: true
  readonly increment: true
  readonly existed: true
  readonly find: true
  readonly batch: BatchCapability & { readonly atomicity: 'all' }
}

/** KeyValue with every method, for cases that were chosen by capability. */
export type AnyKeyValue = KeyValue<string, unknown, EveryCapability>

/** The fixture of one case: a fresh store over an empty dataset, and the hooks. */
export interface Fixture {
  readonly store: Store<unknown>
  readonly capabilities: Capabilities
  /** The store as the application holds it. */
  readonly kv: AnyKeyValue
  /** A KeyValue of its own over this store, or over a wrapper of it. */
  readonly keyValue: (over?: Store<unknown>, settings?: { readonly graceMs?: number }) => AnyKeyValue
  /** The store, watched; with these capabilities in place of its own. */
  readonly observed: (capabilities?: Partial<Capabilities>) => Observed
  /** Value number `n`, made anew. */
  readonly value: (n: number) => unknown
  /** The version of a record that was written with this one: the same, or none in a store of foreign bytes. */
  readonly stored: (version: Version) => Version | undefined
  /** The number as a store that counts holds it. */
  readonly counter: (n: number) => unknown
  /** The injected clock. */
  readonly clock: TestClock | undefined
  /** Wall-clock time of the store. */
  readonly now: () => number
  /** Have a record written that has expired when this resolves. */
  readonly expired: (write: (expiresAt: number) => Promise<unknown>) => Promise<void>
  /** A store over a dataset of its own. */
  readonly another: () => Promise<Store<unknown>>
  /** One other instance over the same dataset; the same one where there is no such thing. */
  readonly reopened: () => Promise<Store<unknown>>
  /** Damage a record behind the store's back. */
  readonly corrupt: (key: string) => Promise<void>
  /** How long a condition is waited for, in milliseconds. */
  readonly patienceMs: number
  /** Random schedules to run. */
  readonly schedules: number
  /** Hostile keys to write. */
  readonly hostileKeys: readonly string[]
  /** Close what was opened and remove what it left. */
  readonly end: () => Promise<void>
}

/** Open a store and what a case needs around it. */
export async function openFixture(options: ConformanceOptions<unknown>): Promise<Fixture> {
  const opened = new Set<Store<unknown>>()
  const track = (store: Store<unknown>) => {
    opened.add(store)
    return store
  }
  const store = track(await options.open())
  const { capabilities } = store
  const { clock, patienceMs = defaultPatienceMs, timeoutMs = patienceMs } = options
  let kv: AnyKeyValue | undefined
  let second: Promise<Store<unknown>> | undefined
  const reopened = async () => (options.reopen === undefined ? store : track(await options.reopen(store)))
  const over = (below: Store<unknown> = store, settings: { readonly graceMs?: number } = {}) =>
    keyValue(below, [], { clock, timeoutMs, graceMs: patienceMs, ...settings }) as unknown as AnyKeyValue
  return {
    store,
    capabilities,
    get kv() {
      kv ??= over()
      return kv
    },
    keyValue: over,
    // For core a bare store holds bytes or documents: other values pass as documents.
    observed: (changed) => observed(store, { documents: options.value !== undefined, ...changed }),
    value: options.value ?? bytesNumber,
    stored: (version) => (options.foreign === true ? undefined : version),
    counter: (n) => (capabilities.documents ? n : Buffer.from(String(n))),
    clock: options.clock,
    now: options.clock ?? Date.now,
    expired: (write) => expired(write, capabilities, options.clock),
    another: async () => track(await options.open()),
    reopened: () => (second ??= reopened()),
    corrupt: async (key) => void (await options.corrupt?.(store, key)),
    patienceMs,
    schedules: options.schedules ?? 20,
    hostileKeys: hostileKeys.filter((_, i) => i % (options.keyStep ?? 1) === 0),
    end: async () => {
      for (const one of [...opened].toReversed()) {
        await one.close()
        await options.discard?.(one)
      }
    },
  }
}

async function expired(
  write: (expiresAt: number) => Promise<unknown>,
  { ttl }: Capabilities,
  clock: TestClock | undefined,
): Promise<void> {
  const lifeMs = 10 * (ttl === false ? 1_000 : Math.max(1_000, ttl.precisionMs))
  if (clock === undefined) {
    // No clock to move: what expired while it was on its way is expired just the same.
    await write(Date.now() - lifeMs)
    return
  }
  await write(clock() + lifeMs)
  clock.advance(2 * lifeMs)
}

function bytesNumber(n: number): Uint8Array {
  return new TextEncoder().encode(`value ${n}`)
}
