import { type Bytes, type KeyValueOf, keyValue, type Store, text } from '@unikv/core'
import { type Mirror, type MirrorEvent, type MirrorOptions, mirror } from '../src/index.ts'
import { type UnrulyStore, unrulyStore } from './unruly-store.ts'

/** Two unruly stores under a mirror, whose pauses are over at once. */
export interface Setting {
  readonly primary: UnrulyStore
  readonly secondary: UnrulyStore
  readonly both: Mirror
  readonly kv: KeyValueOf<Store<string>>
  readonly events: MirrorEvent[]
  /** What both hold, as text. */
  readonly held: () => readonly [Record<string, string>, Record<string, string>]
  /** Resolves when nothing is owed. */
  readonly equal: () => Promise<void>
}

/** A mirror of unruly stores; waits are milliseconds. */
export function setting(
  options: MirrorOptions = {},
  {
    primary = unrulyStore('primary'),
    secondary = unrulyStore('secondary'),
  }: { readonly primary?: UnrulyStore; readonly secondary?: UnrulyStore } = {},
): Setting {
  const events: MirrorEvent[] = []
  const both = mirror(primary, secondary, {
    baseMs: 1,
    capMs: 5,
    doubtMs: 20,
    timeoutMs: 100,
    graceMs: 200,
    onEvent: (event) => events.push(event),
    ...options,
  })
  const kv = keyValue(both as Store<Bytes>, [text()]) as unknown as KeyValueOf<Store<string>>
  return {
    primary,
    secondary,
    both,
    kv,
    events,
    held: () => [textOf(primary), textOf(secondary)],
    equal: async () => {
      while (both.stats().dirty > 0) await new Promise((resolve) => setTimeout(resolve, 1))
    },
  }
}

/** What a store holds. */
export function textOf({ inner }: UnrulyStore): Record<string, string> {
  return Object.fromEntries(
    Array.from(inner.native, ([key, { value }]) => [key, Buffer.from(value).toString('utf8')]),
  )
}
