import {
  type CallSettings,
  type Capabilities,
  type Change,
  type Entry,
  type ErrorCode,
  isStoreError,
  remove,
  type ScanOptions,
  type ScanPage,
  StoreError,
} from '@unikv/core'
import {
  checkOptions,
  checkSegment,
  heard,
  kindOf,
  label,
  ms,
  type OptionsOf,
  readOptions,
} from '@unikv/core/adapter'
import { isBytes, isPlainObject } from '@unikv/core/platform'
import type { SyncKeyValue } from '@unikv/core/sync'
import { Bridge } from './bridge.ts'
import { type Place, type PlainMethod, plainMethods } from './calls.ts'
import { moduleTable, moduleUrl } from './module-url.ts'
import { type Packed, pack } from './packed.ts'

const table = {
  /** Which export of the module is the KeyValue (or a function that returns it). @default 'kv' */
  exportName: label('kv'),
  /**
   * How long one call may block in all, in milliseconds, the import of the module and all pages of `clear` and
   * `count` included. The calls' own deadlines hold besides. @default 60,000
   */
  blockMs: ms(60_000),
}

/** Settings of `syncFrom`. */
export interface SyncFromOptions extends OptionsOf<typeof table>, OptionsOf<typeof moduleTable> {}

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
  const settings = readOptions('syncFrom', { ...table, ...moduleTable }, options)
  const { exportName, blockMs, execArgv } = settings
  const place = { module: moduleUrl('syncFrom', module), exportName, namespace: [] }
  return new Remote(new Bridge({ blockMs, execArgv }), place)
}

type Options = NonNullable<Parameters<SyncKeyValue<unknown, unknown>['update']>[2]>

/** As its own `get` and `write` check the values. */
const updateNames = Object.fromEntries(
  (['ttlMs', 'expiresAt', 'timeoutMs', 'signal', 'consistency'] satisfies readonly (keyof Options)[]).map(
    (name) => [name, true] as const,
  ),
)

/** Calls with a list as their first argument. */
const lists: ReadonlySet<string> = new Set<PlainMethod>(['getMany', 'setMany', 'deleteMany', 'write'])

// oxlint-disable-next-line no-unsafe-declaration-merging -- the static block of the class adds them
interface Remote<K, V> extends Pick<SyncKeyValue<K, V>, PlainMethod> {}

class Remote<K, V> implements RemoteSyncKeyValue<K, V> {
  static {
    for (const [name, codes] of Object.entries<readonly ErrorCode[]>(plainMethods)) {
      const value = function (this: Remote<unknown, unknown>, ...given: readonly unknown[]): unknown {
        const packed = codes.map((code, i) => pack(lists.has(name) ? listOf(name, given[i]) : given[i], code))
        return this.#call(name as PlainMethod, packed, given[codes.length])
      }
      Object.defineProperty(this.prototype, name, { value, writable: true, configurable: true })
    }
  }

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

  /** The function stays in this thread: read, change, and write if no other write came between, up to 16 times. */
  update(key: K, change: Change<V>, options: Options = {}): V | undefined {
    if (typeof change !== 'function') throw notAChange(change)
    checkOptions('update', options, updateNames, 'INVALID_ARGUMENT', { ttl: 'ttlMs' })
    const { ttlMs, expiresAt, ...settings } = options
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

  keys(options?: ScanOptions<K>): Iterable<K> {
    return this.#list<K>('keys', options)
  }

  entries(options?: ScanOptions<K>): Iterable<readonly [K, Entry<V>]> {
    return this.#list<readonly [K, Entry<V>]>('entries', options)
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
    expiry: Pick<Options, 'ttlMs' | 'expiresAt'>,
    settings: CallSettings,
  ): boolean {
    const ifVersion = entry?.version ?? null
    // Not by the expiry that was read: another caller may have set one since, which keeps the version.
    const isGiven = expiry.ttlMs !== undefined || expiry.expiresAt !== undefined
    const keeps: typeof expiry =
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
      const rest = { ...options, cursor, limit: left }
      // The KeyValue itself rejects what is not an object.
      const asked = packedSettings(options === undefined || isPlainObject(options) ? rest : options)
      const page = this.#bridge.ask({ place: this.#place, what, options: asked }) as ScanPage<T>
      yield* page.items
      if (left !== undefined) left -= page.items.length
      cursor = page.cursor
    } while (cursor !== undefined && left !== 0)
  }

  #call<T>(what: PlainMethod | 'close', args: readonly Packed[], settings?: unknown): T {
    const packed = settings === undefined ? args : [...args, packedSettings(settings)]
    return this.#bridge.ask({ place: this.#place, what, args: packed }) as T
  }
}

/** A thread that blocks cannot abort. */
function packedSettings(settings: unknown): Packed {
  if ((settings as CallSettings | null | undefined)?.signal === undefined)
    return pack(settings, 'INVALID_ARGUMENT')
  throw new StoreError(
    'UNSUPPORTED',
    'A blocking call takes no signal, because nothing could abort it. Use timeoutMs.',
  )
}

/** All items of an iterable. A string is one, too, but is never meant as a list of its characters. */
function listOf(operation: string, items: unknown): unknown[] {
  if (
    typeof items === 'string' ||
    typeof (items as Partial<Iterable<unknown>> | null)?.[Symbol.iterator] !== 'function'
  )
    throw new StoreError('INVALID_ARGUMENT', `${operation} takes a list.`, { operation })
  try {
    return Array.from(items as Iterable<unknown>)
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
  // The promise is dropped; an error of it must not end the process.
  heard(next)
  throw new StoreError(
    'INVALID_ARGUMENT',
    'The change of update must not be async: return the value itself.',
    {
      operation: 'update',
    },
  )
}
