import {
  type CallSettings,
  type Capabilities,
  type Change,
  type ClearOptions,
  type CountOptions,
  type Deleted,
  type DeleteOptions,
  type Entry,
  type Head,
  type IncrementOptions,
  isStoreError,
  type NotModified,
  remove,
  type ScanOptions,
  type ScanPage,
  type SetManyEntry,
  type SetManyOptions,
  type SetOptions,
  StoreError,
  type TouchOptions,
  type UpdateOptions,
  type Version,
  type WriteItem,
  type WriteOptions,
  type Written,
} from '@unikv/core'
import { checkMs, checkOptions, checkSegment, heard, kindOf, type OptionNames } from '@unikv/core/adapter'
import { isBytes } from '@unikv/core/platform'
import type { SyncKeyValue, SyncSettings } from '@unikv/core/sync'
import { Bridge } from './bridge.ts'
import type { Place, PlainMethod } from './calls.ts'
import { checkModuleOptions, moduleUrl } from './module-url.ts'
import { type Packed, pack } from './packed.ts'

/** Settings of `syncFrom`. */
export interface SyncFromOptions {
  /** Which export of the module is the KeyValue (or a function that returns it). @default 'kv' */
  readonly exportName?: string | undefined
  /**
   * How long one call may block in all, in milliseconds, the import of the module and all pages of `clear` and
   * `count` included. The calls' own deadlines hold besides. @default 60000
   */
  readonly blockMs?: number | undefined
  /** Node options of the worker thread, such as `['--import', 'tsx']`. @default those of this process */
  readonly execArgv?: readonly string[] | undefined
}

const optionNames: OptionNames<SyncFromOptions> = { exportName: true, blockMs: true, execArgv: true }

/** The KeyValue of another thread without promises. */
export interface RemoteSyncKeyValue<in out K, in out V> extends SyncKeyValue<K, V> {
  readonly capabilities: Capabilities
  namespace(name: string): RemoteSyncKeyValue<K, V>
  /**
   * Close the KeyValue in its thread, and end the thread; a second time is harmless. On a namespace view it does nothing: a
   * view does not own the store. The thread does not keep the process alive.
   */
  close(): void
}

/**
 * A KeyValue over any store, without promises: a worker thread imports the module and awaits the calls, while
 * this thread **blocks**. For scripts and migrations, not for servers. Each call of `syncFrom` has a thread of its own.
 * Values cross as `structured` writes them, or are `INVALID_VALUE`; the native client stays in the other thread.
 *
 * @throws {StoreError} `INVALID_CONFIG` if the module cannot be imported or has no KeyValue; `UNAVAILABLE` if its thread
 *   ended
 */
export function syncFrom<K = string, V = unknown>(
  module: URL | string,
  options: SyncFromOptions = {},
): RemoteSyncKeyValue<K, V> {
  checkOptions('syncFrom', options, optionNames)
  const { exportName = 'kv', blockMs = 60_000, execArgv = process.execArgv } = options
  checkMs({ blockMs })
  checkModuleOptions('syncFrom', exportName, execArgv)
  const place = { module: moduleUrl('syncFrom', module), exportName, namespace: [] }
  return new Remote(new Bridge({ blockMs, execArgv }), place)
}

class Remote<K, V> implements RemoteSyncKeyValue<K, V> {
  readonly name: string
  readonly capabilities: Capabilities
  readonly #bridge: Bridge
  readonly #place: Place

  constructor(bridge: Bridge, place: Place) {
    this.#bridge = bridge
    this.#place = place
    const facts = bridge.ask({ place, what: 'facts' }) as { name: string; capabilities: Capabilities }
    this.name = facts.name
    this.capabilities = facts.capabilities
  }

  get native(): never {
    throw new StoreError(
      'UNSUPPORTED',
      'The native client is in the worker thread. Use it inside the module.',
    )
  }

  get(key: K, settings?: CallSettings): V | undefined {
    return this.#call('get', [pack(key, 'INVALID_KEY')], settings)
  }

  getEntry(key: K, settings?: CallSettings): Entry<V> | undefined {
    return this.#call('getEntry', [pack(key, 'INVALID_KEY')], settings)
  }

  getMany(keys: Iterable<K>, settings?: CallSettings): (V | undefined)[] {
    return this.#call('getMany', [pack(listOf('getMany', keys), 'INVALID_KEY')], settings)
  }

  has(key: K, settings?: CallSettings): boolean {
    return this.#call('has', [pack(key, 'INVALID_KEY')], settings)
  }

  head(key: K, settings?: CallSettings): Head | undefined {
    return this.#call('head', [pack(key, 'INVALID_KEY')], settings)
  }

  revalidate(key: K, version: Version, settings?: CallSettings): Entry<V> | NotModified | undefined {
    return this.#call('revalidate', [pack(key, 'INVALID_KEY'), pack(version, 'INVALID_ARGUMENT')], settings)
  }

  set(key: K, value: V, options?: SetOptions | SyncSettings): Written {
    return this.#call('set', [pack(key, 'INVALID_KEY'), pack(value)], options)
  }

  setMany(entries: Iterable<SetManyEntry<K, V>>, options?: SetManyOptions): Written[] {
    return this.#call('setMany', [pack(listOf('setMany', entries))], options)
  }

  delete(key: K, options?: DeleteOptions | SyncSettings): Deleted {
    return this.#call('delete', [pack(key, 'INVALID_KEY')], options)
  }

  deleteMany(keys: Iterable<K>, settings?: CallSettings): Deleted[] {
    return this.#call('deleteMany', [pack(listOf('deleteMany', keys), 'INVALID_KEY')], settings)
  }

  write(items: Iterable<WriteItem<K, V>>, options?: WriteOptions | SyncSettings): Written[] {
    return this.#call('write', [pack(listOf('write', items))], options)
  }

  take(key: K, settings?: CallSettings): V | undefined {
    return this.#call('take', [pack(key, 'INVALID_KEY')], settings)
  }

  /** The function stays in this thread: read, change, write if nobody else wrote, up to 16 times. */
  update(key: K, change: Change<V>, options: UpdateOptions | SyncSettings = {}): V | undefined {
    if (typeof change !== 'function') throw notAChange(change)
    const { ttlMs, expiresAt, ...settings } = options as SyncSettings
    for (let attempt = 0; attempt < 16; attempt++) {
      const entry = this.getEntry(key, settings)
      const next = change(entry?.value, entry)
      refusePromise(next)
      if (next === undefined) return entry?.value
      if (next === remove && entry === undefined) return undefined
      if (this.#replaced(key, next, entry, { ttlMs, expiresAt }, settings))
        return next === remove ? undefined : own(next)
    }
    throw new StoreError(
      'CONDITION_FAILED',
      'Other writers changed the record first, 16 times; nothing was changed.',
      {
        operation: 'update',
        store: this.name,
        retryable: true,
      },
    )
  }

  touch(key: K, options: TouchOptions): boolean {
    return this.#call('touch', [pack(key, 'INVALID_KEY')], options)
  }

  increment(key: K, by?: number, options?: IncrementOptions): number {
    return this.#call('increment', [pack(key, 'INVALID_KEY'), pack(by, 'INVALID_ARGUMENT')], options)
  }

  incrementEntry(key: K, by?: number, options?: IncrementOptions): Entry<number> {
    return this.#call('incrementEntry', [pack(key, 'INVALID_KEY'), pack(by, 'INVALID_ARGUMENT')], options)
  }

  keys(options?: ScanOptions<K>): Iterable<K> {
    return this.#list<K>('keys', options)
  }

  entries(options?: ScanOptions<K>): Iterable<readonly [K, Entry<V>]> {
    return this.#list<readonly [K, Entry<V>]>('entries', options)
  }

  count(options?: CountOptions<K>): number {
    return this.#call('count', [], options)
  }

  clear(what: ClearOptions<K>): number {
    return this.#call('clear', [], what)
  }

  namespace(name: string): RemoteSyncKeyValue<K, V> {
    checkSegment(name)
    return new Remote(this.#bridge, { ...this.#place, namespace: [...this.#place.namespace, name] })
  }

  close(): void {
    // A view does not own the store.
    if (this.#place.namespace.length === 0) this.#call('close', [])
  }

  #replaced(
    key: K,
    next: V | typeof remove,
    entry: Entry<V> | undefined,
    expiry: SyncSettings,
    settings: CallSettings,
  ): boolean {
    const ifVersion = entry?.version ?? null
    // Not by the expiry that was read: another caller may have set one since, which keeps the version.
    const isGiven = expiry.ttlMs !== undefined || expiry.expiresAt !== undefined
    const keeps: SyncSettings =
      entry === undefined || this.capabilities.ttl === false ? {} : { ttlMs: 'keep' }
    try {
      if (next === remove) this.delete(key, { ...settings, ifVersion })
      else this.set(key, next, { ...settings, ifVersion, ...(isGiven ? expiry : keeps) })
      return true
    } catch (error) {
      if (isStoreError(error) && error.code === 'CONDITION_FAILED') return false
      throw error
    }
  }

  *#list<T>(what: 'keys' | 'entries', options: ScanOptions<K> | undefined): Generator<T> {
    let cursor = options?.cursor
    let left = options?.limit
    do {
      const rest = Object.assign({}, options, { cursor, limit: left })
      // The KeyValue itself rejects a value that is not an object.
      const isObject = options === undefined || (typeof options === 'object' && options !== null)
      const asked = packedSettings(isObject ? rest : options)
      const page = this.#bridge.ask({ place: this.#place, what, options: asked }) as ScanPage<T>
      yield* page.items
      if (left !== undefined) left -= page.items.length
      cursor = page.cursor
    } while (cursor !== undefined && left !== 0)
  }

  #call<T>(what: PlainMethod, args: readonly Packed[], settings?: object): T {
    const packed = settings === undefined ? args : [...args, packedSettings(settings)]
    return this.#bridge.ask({ place: this.#place, what, args: packed }) as T
  }
}

/** A thread that blocks cannot abort. */
function packedSettings(settings: CallSettings): Packed {
  if (settings?.signal === undefined) return pack(settings, 'INVALID_ARGUMENT')
  throw new StoreError(
    'UNSUPPORTED',
    'A blocking call takes no signal, because nothing could abort it. Use timeoutMs.',
  )
}

/** All items of an iterable. A string is one, but nobody means its characters. */
function listOf<T>(operation: string, items: Iterable<T>): T[] {
  if (
    typeof items === 'string' ||
    typeof (items as Partial<Iterable<T>> | null)?.[Symbol.iterator] !== 'function'
  )
    throw new StoreError('INVALID_ARGUMENT', `${operation} takes a list.`, { operation })
  try {
    return Array.from(items)
  } catch (cause) {
    throw new StoreError('INVALID_ARGUMENT', `The list of ${operation} threw an error.`, { operation, cause })
  }
}

function notAChange(given: unknown): StoreError {
  const message = `update() takes a function of the value, got ${kindOf(given)}.`
  return new StoreError('INVALID_ARGUMENT', message, { operation: 'update' })
}

/** The value for the caller: bytes that only the caller holds, as from a read. */
function own<V>(value: V): V {
  return isBytes(value) ? (new Uint8Array(value) as V & Uint8Array) : value
}

/** The error for a change that answers later: its promise is not the value. */
function refusePromise(next: unknown): void {
  if (typeof (next as { readonly then?: unknown } | null | undefined)?.then !== 'function') return
  // Nobody waits for it.
  heard(next)
  throw new StoreError(
    'INVALID_ARGUMENT',
    'The change of update must not be async: return the value itself.',
    {
      operation: 'update',
    },
  )
}
