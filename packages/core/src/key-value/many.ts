import { areDistinct } from '../batches/distinct.ts'
import { another } from '../codecs/documents.ts'
import type { Awaitable } from '../contract/awaitable.ts'
import { isConditionFailed, isEntry } from '../contract/entry.ts'
import { isStoreError, StoreError } from '../contract/errors.ts'
import type { Mutation, Read, ReadResult, WriteResult, Written } from '../contract/store.ts'
import { kindOf } from '../options/check-options.ts'
import { threw } from '../options/own-function.ts'
import { isPlainObject } from '../platform/realms.ts'
import { checkCallOptions } from './call-settings.ts'
import type { AnySet, Direct } from './direct.ts'
import type { Engine } from './engine.ts'
import { conditionFailed } from './finish.ts'
import type { Deleted, Keys } from './key-value.ts'
import type { CallSettings, SetManyEntry, SetManyOptions, WriteItem, WriteOptions } from './settings.ts'

// The operations on several keys: what became of each, or PARTIAL.

/** `KeyValue.getMany`. */
export function getMany<K, V>(
  direct: Direct<K, V>,
  keys: Keys<K>,
  settings?: CallSettings,
): Awaitable<(V | undefined)[]> {
  if (settings !== undefined) checkCallOptions('getMany', settings)
  const { engine } = direct
  const asked = itemsOf('getMany', keys, 'keys, such as an array').map(
    (key): Read => ({ key: direct.canonical(key) }),
  )
  const call = engine.readCall(settings)
  if (asked.length === 0) return []
  const reads = distinctReads(asked)
  return engine.read('getMany', reads, call, (results) => {
    const found = results as readonly ReadResult<V>[]
    const all = reads === asked ? found : spread(found, reads, asked)
    refusePartial(engine, 'getMany', all, asked, (one) => direct.ownEntry(one))
    return all.map((result) => (isEntry(result) ? direct.own(result.value) : undefined))
  })
}

/** `KeyValue.setMany`. */
export function setMany<K, V>(
  direct: Direct<K, V>,
  entries: Iterable<SetManyEntry<K, V>>,
  options?: SetManyOptions,
): Awaitable<Written[]> {
  if ((options as AnySet | undefined)?.ifVersion !== undefined)
    throw new StoreError('UNSUPPORTED', 'setMany cannot take a condition: use write, or set for each key.')
  if (options !== undefined) {
    checkCallOptions('setMany', options)
    // Also where each entry has an expiry of its own.
    direct.expiry('setMany', options)
  }
  const given = itemsOf('setMany', entries, '[key, value] pairs, such as a Map')
  const mutations = given.map((entry) => {
    checkEntry(entry)
    const [key, value, own] = entry
    if (own !== undefined) checkCallOptions('an entry of setMany', own)
    const hasOwn = own?.ttlMs !== undefined || own?.expiresAt !== undefined
    return direct.setOf('setMany', key, value, hasOwn ? own : options)
  })
  return mutateMany(direct, 'setMany', mutations, options)
}

/** `KeyValue.deleteMany`. */
export function deleteMany<K, V>(
  direct: Direct<K, V>,
  keys: Keys<K>,
  settings?: CallSettings,
): Awaitable<Deleted[]> {
  if (settings !== undefined) checkCallOptions('deleteMany', settings)
  const given = itemsOf('deleteMany', keys, 'keys, such as an array')
  const mutations = given.map((key) => direct.deleteOf('deleteMany', key))
  return mutateMany(direct, 'deleteMany', mutations, settings)
}

/** `KeyValue.write`. */
export function write<K, V>(
  direct: Direct<K, V>,
  items: Iterable<WriteItem<K, V>>,
  options?: WriteOptions,
): Awaitable<Written[]> {
  if (options !== undefined) checkCallOptions('write', options)
  const given = itemsOf('write', items, 'sets and deletes, such as an array')
  checkAtomic(direct, options?.atomic, given)
  return mutateMany(
    direct,
    'write',
    given.map((item) => mutationOf(direct, item)),
    options,
  )
}

function mutationOf<K, V>(direct: Direct<K, V>, item: WriteItem<K, V>): Mutation<V> {
  const type: unknown = Object(item).type
  if (!isPlainObject(item) || (type !== 'set' && type !== 'delete'))
    throw new StoreError(
      'INVALID_ARGUMENT',
      "Each item of write() must be { type: 'set', key, value } or { type: 'delete', key }.",
    )
  checkCallOptions(`a ${type} of write`, item)
  if (item.type === 'delete') return direct.deleteOf('write', item.key, item)
  return direct.setOf('write', item.key, item.value, item)
}

/** Refuse a batch that the store would not write as a whole. */
function checkAtomic<K, V>(direct: Direct<K, V>, atomic: unknown, items: readonly object[]): void {
  if (atomic === undefined || atomic === false) return
  if (atomic !== true)
    throw new StoreError(
      'INVALID_ARGUMENT',
      `\`atomic\` of write() must be true or false, got ${kindOf(atomic)}.`,
    )
  const { name, capabilities } = direct.engine.store
  if (capabilities.batch.atomicity !== 'all')
    throw new StoreError('UNSUPPORTED', `${name} does not write batches as a whole. Leave \`atomic\` out.`)
  if (items.some((item) => (item as AnySet).ifVersion !== undefined))
    throw new StoreError(
      'UNSUPPORTED',
      'In an atomic batch a condition would concern its own item alone. Leave `atomic` or `ifVersion` out.',
    )
}

function mutateMany<K, V>(
  direct: Direct<K, V>,
  operation: string,
  mutations: readonly Mutation<V>[],
  settings: CallSettings | undefined,
): Awaitable<Written[]> {
  if (!areDistinct(mutations.map(({ key }) => key)))
    throw new StoreError('INVALID_ARGUMENT', `${operation} got the same key twice. Pass each key once.`)
  const { engine } = direct
  const call = engine.call(settings)
  if (mutations.length === 0) return []
  return engine.write(operation, mutations, call, (results) => {
    const told = results.map((result) => (isConditionFailed(result) ? conditionFailed(result) : result))
    refusePartial(engine, operation, told, mutations, (one) => one)
    return told
  })
}

/** Throw `PARTIAL` if an item failed. */
function refusePartial<R extends ReadResult<unknown> | WriteResult>(
  engine: Engine,
  operation: string,
  results: readonly R[],
  items: readonly (Read | Mutation<unknown>)[],
  shown: (result: R) => R,
): void {
  const cause = results.find(isStoreError)
  if (cause === undefined) return
  const located = results.map((result, i) =>
    isStoreError(result) ? engine.located(result, operation, items.slice(i, i + 1)) : shown(result),
  )
  const failed = located.filter(isStoreError)
  const done = operation === 'getMany' ? 'read' : 'written'
  const message = `${failed.length} of ${results.length} keys could not be ${done}; see error.results.`
  throw new StoreError('PARTIAL', message, { results: located, cause: failed[0] })
}

/** The items of an iterable; the letters of a string are never meant. */
function itemsOf<T>(operation: string, given: Iterable<T>, what: string): readonly T[] {
  if (typeof given !== 'object' || typeof given?.[Symbol.iterator] !== 'function' || 'charAt' in given)
    throw new StoreError(
      'INVALID_ARGUMENT',
      `${operation}() takes an iterable of ${what}; got ${kindOf(given)}.`,
    )
  try {
    return [...given]
  } catch (cause) {
    throw threw(`The iterable given to ${operation}()`, cause)
  }
}

function checkEntry(entry: unknown): void {
  if (Array.isArray(entry) && (entry.length === 2 || entry.length === 3)) return
  throw new StoreError(
    'INVALID_ARGUMENT',
    `Each item of setMany() must be [key, value] or [key, value, { ttlMs }], got ${kindOf(entry)}.`,
  )
}

/** Reads without those of a key that was asked for before. */
function distinctReads(asked: readonly Read[]): readonly Read[] {
  const reads = new Map(asked.map((read) => [read.key, read]))
  return reads.size === asked.length ? asked : Array.from(reads.values())
}

/** The results of distinct reads for each that was asked for; bytes and documents are copied for all but the first. */
function spread<V>(
  results: readonly ReadResult<V>[],
  reads: readonly Read[],
  asked: readonly Read[],
): readonly ReadResult<V>[] {
  const places = new Map(reads.map(({ key }, i) => [key, i]))
  const given = new Set<number>()
  return asked.map(({ key }) => {
    const place = places.get(key) as number
    const result = results[place]
    if (!given.has(place)) given.add(place)
    else if (isEntry(result)) return { ...result, value: another(result.value) as V }
    return result
  })
}
