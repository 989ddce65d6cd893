import assert from 'node:assert/strict'
import {
  type CallOptions,
  type Capabilities,
  type Entry,
  isEntry,
  isNotModified,
  isStoreError,
  type Mutation,
  newVersion,
  type Page,
  type ReadResult,
  type ScanOptions,
  type ScanRange,
  type Store,
  type Version,
  type WriteResult,
  type Written,
} from '@unikv/core'
import { internalKey, isUserKey } from '@unikv/core/adapter'
import type { AnyKeyValue, EveryCapability } from './fixture.ts'
import { defaultPatienceMs } from './patience.ts'

/*
 * The three verbs for one key or many, as KeyValue would call them: fresh options for each call, batches within
 * the declared limits.
 */

/** Options of one call with a deadline that no healthy store meets. */
export function call(): CallOptions {
  return { deadlineAt: performance.now() + defaultPatienceMs, sent: false }
}

/** Options of `set` beside key and value. */
export interface SetExtra {
  readonly ifVersion?: Version | null | undefined
  readonly expiresAt?: number | 'keep' | undefined
}

/** Read one key, for any result. */
export async function readResult(
  store: Store<unknown>,
  key: string,
  extra: { head?: boolean; ifNotVersion?: Version } = {},
): Promise<ReadResult<unknown>> {
  const results = await store.read([{ key, ...extra }], call())
  assert.equal(results.length, 1, 'a read of one key has one result')
  return results[0]
}

/** The entry of a key, `undefined` if it is absent; an error is thrown. */
export async function readEntry(store: Store<unknown>, key: string): Promise<Entry<unknown> | undefined> {
  return entryOf(await readResult(store, key))
}

/** The entry of a key that must be there. */
export async function presentEntry(store: Store<unknown>, key: string): Promise<Entry<unknown>> {
  const entry = await readEntry(store, key)
  assert.ok(entry !== undefined, 'the record is there')
  return entry
}

/** The value of a key, `undefined` if it is absent; an error is thrown. */
export async function readValue(store: Store<unknown>, key: string): Promise<unknown> {
  return (await readEntry(store, key))?.value
}

/** The values of many keys, in as many batches as the limits ask for. */
export async function readValues(store: Store<unknown>, keys: readonly string[]): Promise<unknown[]> {
  const values: unknown[] = []
  for (const part of parts(keys, store)) {
    const results = await store.read(
      part.map((key) => ({ key })),
      call(),
    )
    assert.equal(results.length, part.length, 'a read has one result for each key')
    values.push(...results.map((result) => entryOf(result)?.value))
  }
  return values
}

/** Do one mutation, for any result. */
export async function mutate(store: Store<unknown>, mutation: Mutation<unknown>): Promise<WriteResult> {
  const results = await store.write([mutation], call())
  assert.equal(results.length, 1, 'a write of one key has one result')
  return results[0] as WriteResult
}

/** Do one mutation that must take effect. */
export async function written(store: Store<unknown>, mutation: Mutation<unknown>): Promise<Written> {
  return assertWritten(await mutate(store, mutation))
}

/** Do several mutations, as one batch where the store takes so many at once; one result each. */
export async function writeTogether(
  store: Store<unknown>,
  mutations: readonly Mutation<unknown>[],
): Promise<WriteResult[]> {
  const all: WriteResult[] = []
  for (const part of parts(mutations, store)) {
    const results = await store.write(part, call())
    assert.equal(results.length, part.length, 'a write has one result for each mutation')
    all.push(...results)
  }
  return all
}

/** Set one key, which must take effect; returns the version it has from then on. */
export async function set(
  store: Store<unknown>,
  key: string,
  value: unknown,
  extra: SetExtra = {},
): Promise<Version> {
  const version = newVersion()
  await written(store, { type: 'set', key, value, version, ...extra })
  return version
}

/** Delete one key, which must succeed. */
export async function remove(store: Store<unknown>, key: string, ifVersion?: Version): Promise<Written> {
  return written(store, { type: 'delete', key, version: newVersion(), ifVersion })
}

/** Set many keys, in as many batches as the limits ask for. */
export async function setAll(
  store: Store<unknown>,
  entries: readonly (readonly [string, unknown])[],
): Promise<void> {
  await writeAll(
    store,
    entries.map(([key, value]) => ({ type: 'set', key, value, version: newVersion() })),
  )
}

/** Delete many keys, in as many batches as the limits ask for. */
export async function removeAll(store: Store<unknown>, keys: readonly string[]): Promise<void> {
  await writeAll(
    store,
    keys.map((key) => ({ type: 'delete', key, version: newVersion() })),
  )
}

async function writeAll(store: Store<unknown>, mutations: readonly Mutation<unknown>[]): Promise<void> {
  for (const result of await writeTogether(store, mutations)) assertWritten(result)
}

/** The pages of a scan. */
export async function scanPages(
  store: Store<unknown>,
  range: Partial<ScanRange> = {},
): Promise<Page<unknown>[]> {
  const pages: Page<unknown>[] = []
  for await (const page of store.scan({ prefix: '', pageSize: 100, values: false, ...range }, call()))
    pages.push(page)
  return pages
}

/** The keys of a scan, in the order in which they came; each once, unless the store declares to give each once. */
export async function scanKeys(store: Store<unknown>, range: Partial<ScanRange> = {}): Promise<string[]> {
  const pages = await scanPages(store, range)
  return unrepeated(pages.flatMap((page) => page.entries.map(({ key }) => key)).filter(isOfSuite), store)
}

/** The suite writes user keys and markers. Other internal records are those that a layer keeps beside its values. */
export function isOfSuite(key: string): boolean {
  return isUserKey(key) || key.startsWith(markers)
}

const markers = internalKey('marker', '').slice(0, 2)

/** The keys that a KeyValue lists, as `scanKeys` gives those of a store. */
export async function listKeys(
  kv: AnyKeyValue,
  options: ScanOptions<string, EveryCapability> = {},
): Promise<string[]> {
  return unrepeated(await collect(kv.keys(options)), kv)
}

/** A number of keys, which a store that lists keys at least once may exceed. */
export function assertCount(
  { capabilities }: Listable,
  actual: number,
  wanted: number,
  message = 'number of keys',
): void {
  if (listsOnce(capabilities)) assert.equal(actual, wanted, message)
  else assert.ok(actual >= wanted && (wanted > 0 || actual === 0), message)
}

/** The mutation took effect. */
export function assertWritten(result: WriteResult): Written {
  if (isStoreError(result)) throw result
  assert.ok(!('conditionFailed' in result), 'the mutation takes effect')
  return result
}

/** The condition of a mutation did not hold. */
export function assertRefused(result: WriteResult, message: string): void {
  if (isStoreError(result)) throw result
  assert.ok('conditionFailed' in result && result.conditionFailed, message)
}

function entryOf(result: ReadResult<unknown>): Entry<unknown> | undefined {
  if (isStoreError(result)) throw result
  assert.ok(!isNotModified(result), 'an unconditional read brings the value')
  assert.ok(result === undefined || isEntry(result), 'a read result is an entry or undefined')
  return result
}

/** At most 100 items at once, and no more than the store takes. */
function parts<T>(items: readonly T[], store: Store<unknown>): T[][] {
  const size = Math.min(100, store.capabilities.batch.maxItems)
  const cut: T[][] = []
  for (let i = 0; i < items.length; i += size) cut.push(items.slice(i, i + size))
  return cut
}

/** All items of an asynchronous iterable. */
export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}

interface Listable {
  readonly capabilities: Capabilities
}

function unrepeated(keys: readonly string[], { capabilities }: Listable): string[] {
  return listsOnce(capabilities) ? [...keys] : [...new Set(keys)]
}

function listsOnce({ scan }: Capabilities): boolean {
  return scan !== false && scan.delivery === 'once'
}
