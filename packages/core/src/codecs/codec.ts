import { type Awaitable, andThen, isPromise } from '../contract/awaitable.ts'
import type { Bytes } from '../contract/bytes.ts'
import { isEntry } from '../contract/entry.ts'
import { isStoreError, StoreError } from '../contract/errors.ts'
import type { Entry, Mutation, Page, ReadResult, ScanEntry, Store } from '../contract/store.ts'
import { writePrepared } from '../contract/write-prepared.ts'
import { isBytes } from '../platform/realms.ts'
import { encodedValue, planCodec } from '../stack/facts.ts'
import { type Layer, layer } from '../stack/layer.ts'
import { mapPages } from '../stack/pages.ts'
import { tooLong } from './too-long.ts'

/** A pair of functions between what the application holds and what the store holds. */
export interface Codec<V, Inner = Bytes> {
  readonly name: string
  /**
   * Whether both functions answer without a promise: then the stack says so in `capabilities.sync`. Functions that are
   * declared `async` are known not to. @default true
   */
  readonly sync?: boolean | undefined
  /**
   * Called when the application makes the call. One that answers with a promise takes what it needs of an object before
   * its first `await`: the object is the application's again then.
   *
   * @throws {StoreError} `INVALID_VALUE` for what would not come back as it is
   */
  encode(value: V): Awaitable<Inner>
  /** @throws {StoreError} `CORRUPT` for what `encode` did not write */
  decode(stored: Inner): Awaitable<V>
}

/** The effect of every codec on capabilities: counters live in the bytes below it. */
export interface CodecCapabilities {
  readonly increment: false
}

/** A layer of a codec of your own, over a store of bytes. */
export function codec<V>(own: Codec<V>): Layer<Bytes, V, CodecCapabilities> {
  if (typeof own?.encode !== 'function' || typeof own.decode !== 'function')
    throw new StoreError('INVALID_CONFIG', 'codec() takes { name, encode, decode }.')
  return codecLayer(copying(own), 'bytes', { increment: false }, false)
}

/** The bytes that a codec returns may belong to the caller, or be reused for the next value. */
function copying<V>(own: Codec<V>): Codec<V> {
  return {
    name: own.name,
    sync: answersLater(own) ? false : own.sync,
    encode: (value) => andThen(own.encode(value), (made) => (isBytes(made) ? Buffer.from(made) : made)),
    decode: (stored) => own.decode(stored),
  }
}

/** As `codec`, for one that neither keeps the bytes of a value nor gives away those that are stored. */
export function freshCodec<V>(own: Codec<V>): Layer<Bytes, V, CodecCapabilities> {
  return codecLayer(own, 'bytes', { increment: false }, true)
}

/** A layer of a codec over bytes or documents. */
export function codecLayer<V, Inner, Caps>(
  own: Codec<V, Inner>,
  inner: 'bytes' | 'documents',
  capabilities: Caps,
  isFresh: boolean,
): Layer<Inner, V, Caps> {
  // A store of bytes that finds is behind a server: it finds by the JSON that it is sent.
  const showsFields = inner === 'documents' || own.name === 'json'
  return layer<Inner, V, Caps>(own.name, {
    inner,
    outer: 'objects',
    capabilities: { ...capabilities, ...(answersLater(own) && { sync: 'none' }) },
    facts: planCodec.with({ own, isFresh }),
    wrap: (store) => ({
      read: (reads, options) => andThen(store.read(reads, options), (results) => decodeAll(results, own)),
      write: (mutations, options) => {
        const encoded = each(mutations, (mutation) => encodeMutation(mutation, own))
        return andThen(encoded, (ready) => writePrepared(store, ready, options))
      },
      scan: (range, options) => mapPages(store.scan(range, options), (page) => decodePage(page, own)),
      ...(store.find !== undefined && showsFields && { find: findDecoded(store.find.bind(store), own) }),
    }),
  })
}

/** Whether a codec is known to answer by promise before it is asked. */
function answersLater<V, Inner>(own: Codec<V, Inner>): boolean {
  const isAsync = (method: 'encode' | 'decode'): boolean => own[method].constructor.name === 'AsyncFunction'
  return own.sync === false || isAsync('encode') || isAsync('decode')
}

function decodeAll<V, Inner>(
  results: readonly ReadResult<Inner>[],
  own: Codec<V, Inner>,
): Awaitable<readonly ReadResult<V>[]> {
  return each(results, (result) => (isEntry(result) ? decodeEntry(result, own) : result))
}

function decodePage<V, Inner>(page: Page<Inner>, own: Codec<V, Inner>): Awaitable<Page<V>> {
  return andThen(decodeEach(page.entries, own), (entries) => ({ entries, resume: page.resume }))
}

function findDecoded<V, Inner>(
  find: NonNullable<Store<Inner>['find']>,
  own: Codec<V, Inner>,
): NonNullable<Store<V>['find']> {
  return (query, options) =>
    andThen(find(query, options), (found) =>
      andThen(decodeEach(found.entries, own), (entries) => ({ ...found, entries })),
    )
}

function decodeEach<V, Inner>(
  entries: readonly ScanEntry<Inner>[],
  own: Codec<V, Inner>,
): Awaitable<readonly ScanEntry<V>[]> {
  return each(entries, ({ key, entry }) => {
    if (entry === undefined || isStoreError(entry)) return { key, entry }
    return andThen(decodeEntry(entry, own), (decoded) => ({ key, entry: decoded }))
  })
}

function decodeEntry<V, Inner>(entry: Entry<Inner>, own: Codec<V, Inner>): Awaitable<Entry<V> | StoreError> {
  return attempt(
    () => andThen(own.decode(entry.value), (value) => ({ ...entry, value })),
    'CORRUPT',
    `The stored value is not what ${own.name} writes. Check that the same layers wrote it.`,
  )
}

function encodeMutation<V, Inner>(
  mutation: Mutation<V>,
  own: Codec<V, Inner>,
): Awaitable<Mutation<Inner> | StoreError> {
  if (mutation.type !== 'set') return mutation
  const there = encodedValue.of(mutation.facts)
  const isThere = there !== undefined && there.by === own && there.of === mutation.value
  return andThen(isThere ? (there.as as Awaitable<Inner>) : encoded(mutation.value, own), (value) =>
    isStoreError(value) ? value : { ...mutation, value, facts: undefined },
  )
}

/** The encoded value, or the reason why the codec rejects it. */
export function encoded<V, Inner>(value: V, own: Codec<V, Inner>): Awaitable<Inner | StoreError> {
  return held(() => own.encode(value), own)
}

/** The answer of a codec about a value of a write, or why the value is refused. */
export function held<T>(
  work: () => Awaitable<T>,
  { name }: { readonly name: string },
): Awaitable<T | StoreError> {
  return attempt(work, 'INVALID_VALUE', `${name} cannot hold this value.`)
}

/** The work's answer, or its error as a result. */
function attempt<T>(
  work: () => Awaitable<T>,
  code: 'CORRUPT' | 'INVALID_VALUE',
  message: string,
): Awaitable<T | StoreError> {
  const failed = (cause: unknown): StoreError =>
    isStoreError(cause) ? cause : (tooLong(cause) ?? new StoreError(code, message, { cause }))
  try {
    const answer = work()
    return isPromise(answer) ? Promise.resolve(answer).catch(failed) : answer
  } catch (error) {
    return failed(error)
  }
}

/** Change each item; with a promise only if one of them answers with one. */
function each<T, U>(items: readonly T[], change: (item: T) => Awaitable<U>): Awaitable<readonly U[]> {
  const changed = items.map(change)
  return changed.some((one) => isPromise(one)) ? Promise.all(changed) : (changed as U[])
}
