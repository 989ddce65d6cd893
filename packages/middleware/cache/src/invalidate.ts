import {
  type AnyStore,
  type CallOptions,
  type Capabilities,
  type KeyValueBase,
  type Store,
  StoreError,
} from '@unikv/core'
import { callOptions, hidesNames, isOfSeveral, type KeysOf, keysOf, layersThrough } from '@unikv/core/adapter'

/** One stack's part of a cache, as far as it can be told what to forget. */
export interface Forgetting {
  /** The store below. */
  readonly inner: unknown
  /** Its capabilities. */
  readonly capabilities: Pick<Capabilities, 'scan'>
  /** Forget these canonical keys, here and, where there is a way, in other processes. */
  invalidate(keys: readonly string[], call: CallOptions): unknown
  /** Forget all canonical keys that start with one of these. */
  forget(prefixes: readonly string[], call: CallOptions): unknown
}

/** The method of a cache's handle. */
export interface Invalidates {
  /**
   * Forget what something else has written: these keys of a KeyValue that this cache is in or, without `keys`, all of its
   * keys and those of the namespaces inside it. For writes through the native client, jobs, or other programs. Loads under
   * way are answered to their callers, and not kept; processes on the same bus or cache store are told.
   *
   * @throws {StoreError} `INVALID_KEY`; `INVALID_ARGUMENT`, also for a KeyValue that this cache is not in; `UNAVAILABLE` if
   * the cache store did not confirm it: try again
   */
  invalidate<K, V>(keyValue: KeyValueBase<K, V>, keys?: Iterable<K>): Promise<void>
}

/** The part of a cache in the stack over this store. */
export function forgetting(
  inner: Pick<Store<unknown>, 'capabilities'>,
  made: Pick<Forgetting, 'invalidate' | 'forget'>,
): Forgetting {
  return {
    inner,
    capabilities: inner.capabilities,
    invalidate: (keys, call) => made.invalidate(keys, call),
    forget: (prefixes, call) => made.forget(prefixes, call),
  }
}

/** Tells all parts of a cache what to forget. */
export function invalidator(parts: Iterable<Forgetting>): Invalidates['invalidate'] {
  return (keyValue, keys) => invalidateIn(parts, keyValue, keys)
}

async function invalidateIn(
  parts: Iterable<Forgetting>,
  keyValue: { readonly capabilities: Pick<Capabilities, 'scan'> },
  keys: Iterable<unknown> | undefined,
): Promise<void> {
  const names = keysOf(keyValue)
  const named = keys === undefined ? undefined : canonicalKeys(keys, names)
  const all = Array.from(parts)
  refuseStranger(keyValue as AnyStore, all)
  for (const { capabilities } of all) refuseHashed(keyValue.capabilities, capabilities)
  const forget = (part: Forgetting): unknown =>
    named === undefined ? part.forget(names.prefixes, callOptions()) : part.invalidate(named, callOptions())
  await Promise.all(all.map(async (part) => forget(part)))
}

function canonicalKeys(keys: unknown, names: KeysOf): readonly string[] {
  const isList = typeof keys === 'object' && keys !== null && Symbol.iterator in keys
  if (!isList)
    throw new StoreError(
      'INVALID_ARGUMENT',
      'Give the keys as an iterable, such as an array, also if it is one.',
    )
  return Array.from(new Set(Array.from(keys as Iterable<unknown>, (key) => names.canonical(key))))
}

/** Nothing of its keys is kept here. A stack that ends in several stores may have this cache in any of them. */
function refuseStranger(keyValue: AnyStore, parts: readonly Forgetting[]): void {
  const places = layersThrough(keyValue)
  const isHere = places.some(({ inner }) => parts.some((part) => part.inner === inner))
  if (isHere || places.length === 0 || isOfSeveral(keyValue)) return
  throw new StoreError(
    'INVALID_ARGUMENT',
    'This cache is not in the stack of the KeyValue, or that is closed. Pass one that was made with this cache.',
  )
}

/** Below hashed names nothing would be found. */
function refuseHashed(above: Pick<Capabilities, 'scan'>, below: Pick<Capabilities, 'scan'>): void {
  if (!hidesNames(above) || hidesNames(below)) return
  throw new StoreError(
    'INVALID_ARGUMENT',
    "This cache lies below hashed key names, so it does not know keys by name. Put it above the encryption, or read with consistency: 'strong'.",
  )
}
