import assert from 'node:assert/strict'
import { inspect } from 'node:util'
import { type CallOptions, type KeyValue, keyValue, newVersion, type Store } from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { defaultPatienceMs } from '../patience.ts'
import { within } from '../within.ts'
import { type OpeningOptions, plantedSecret } from './opening-options.ts'

/** Parts of one case. */
export interface OpeningFixture {
  readonly given: OpeningOptions<object, unknown>
  /** A store that is closed after the test. */
  readonly make: (options: object) => Store<unknown>
  /** A KeyValue over such a store. */
  readonly open: (options: object) => KeyValue<string, unknown>
  /** Options of `given.fresh`, whose dataset is removed after the test. */
  readonly fresh: () => Promise<object>
  /** Have the dataset of these options removed after the test. */
  readonly discarded: <O extends object>(options: O) => O
  readonly value: (n: number) => unknown
  readonly patienceMs: number
  /** Do this after the test. */
  readonly later: (end: () => unknown) => void
  readonly end: () => Promise<void>
}

/** The fixture of a case. */
export function openingFixture(given: OpeningOptions<object, unknown>): OpeningFixture {
  const { patienceMs = defaultPatienceMs, value = (n) => Buffer.from(`value ${n}`) } = given
  const ends: (() => unknown)[] = []
  const later = (end: () => unknown): void => void ends.push(end)
  const make = (options: object): Store<unknown> => {
    const store = given.make(options)
    later(() => within(patienceMs, 'To close a store', store.close()))
    return store
  }
  const discarded = <O extends object>(options: O): O => {
    later(() => given.discard?.(options))
    return options
  }
  return {
    given,
    make,
    discarded,
    open: (options) => {
      const kv: unknown = keyValue(make(options), [], { timeoutMs: patienceMs })
      return kv as KeyValue<string, unknown>
    },
    fresh: async () => discarded(await given.fresh()),
    value,
    patienceMs,
    later,
    end: async () => {
      for (const end of ends.splice(0).toReversed()) await end()
    },
  }
}

const key = 'key'

/** A call of each verb, past KeyValue; `key` is what they are about. Each rejects with the error that came of it. */
export function verbsOf(store: Store<unknown>, value: unknown): readonly (() => Promise<unknown>)[] {
  const all = [
    async () => thrown((await store.read([{ key }], callOptions()))[0]),
    () => write(store, value),
    async () => {
      for await (const _ of store.scan({ prefix: '', pageSize: 10, values: false }, callOptions()));
    },
  ]
  return store.capabilities.scan === false ? all.slice(0, 2) : all
}

/** Set `key`, past KeyValue. */
export async function write(
  store: Store<unknown>,
  value: unknown,
  call: CallOptions = callOptions(),
): Promise<void> {
  const results = await store.write([{ type: 'set', key, value, version: newVersion() }], call)
  thrown(results[0])
}

function thrown(result: unknown): void {
  if (result instanceof Error) throw result
}

/** Fails if any part of it shows the secret, hidden parts too. */
export function assertTellsNoSecret(shown: unknown, what: string): void {
  const text = inspect(shown, { showHidden: true, depth: 9 })
  assert.ok(!text.includes(plantedSecret), `${what} shows no secret`)
}
