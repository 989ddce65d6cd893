import {
  type CallSettings,
  type Capabilities,
  type Change,
  type ClearOptions,
  type DeleteOptions,
  type Entry,
  type IncrementOptions,
  isStoreError,
  type NotModified,
  remove,
  type ScanOptions,
  type ScanPage,
  type SetManyOptions,
  type SetOptions,
  StoreError,
  type Version,
  type Written,
} from '@unikv/core'
import type { SyncKeyValue } from '@unikv/core/sync'
import { createSyncFn } from 'synckit'
import type { Place, PlainMethod, RemoteAnswer, RemoteCall } from './calls.ts'
import { fromPlain, unmark } from './plain-error.ts'

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

/** The KeyValue of another thread without promises. */
export interface RemoteSyncKeyValue<in out K, in out V> extends SyncKeyValue<K, V> {
  readonly capabilities: Capabilities
  namespace(name: string): RemoteSyncKeyValue<K, V>
  /** Close the KeyValue in its thread. The thread keeps no process alive. */
  close(): void
}

/**
 * A KeyValue over any store, without promises: a worker thread imports the module and awaits the calls, while
 * this thread **blocks**. For scripts and migrations, not for servers. Values cross as structured clones; the
 * native client stays in the other thread.
 *
 * @throws {StoreError} what the KeyValue rejects with; `INVALID_CONFIG` if the module has no KeyValue
 */
export function syncFrom<K = string, V = unknown>(
  module: URL | string,
  options: SyncFromOptions = {},
): RemoteSyncKeyValue<K, V> {
  const { exportName = 'kv', blockMs = 60_000, execArgv = process.execArgv } = options
  if (!(blockMs > 0))
    throw new StoreError('INVALID_CONFIG', 'blockMs must be a number of milliseconds above 0.')
  const run = createSyncFn<(call: RemoteCall) => Promise<RemoteAnswer>>(
    new URL('./keyvalue-worker.js', import.meta.url),
    { timeout: blockMs, execArgv: [...execArgv] },
  )
  return new Remote(run, { module: String(module), exportName, namespace: [] })
}

type Run = (call: RemoteCall) => RemoteAnswer

class Remote<K, V> implements RemoteSyncKeyValue<K, V> {
  readonly name: string
  readonly capabilities: Capabilities
  readonly #run: Run
  readonly #place: Place

  constructor(run: Run, place: Place) {
    this.#run = run
    this.#place = place
    const facts = this.#ask({ place, what: 'facts' }) as { name: string; capabilities: Capabilities }
    this.name = facts.name
    this.capabilities = facts.capabilities
  }

  get native(): never {
    throw new StoreError(
      'UNSUPPORTED',
      'The native client lives in the worker thread. Use it in the module itself.',
    )
  }

  get(key: K, settings?: CallSettings): V | undefined {
    return this.#call<V | undefined>('get', key, settings)
  }

  getEntry(key: K, settings?: CallSettings): Entry<V> | undefined {
    return this.#call<Entry<V> | undefined>('getEntry', key, settings)
  }

  getMany(keys: Iterable<K>, settings?: CallSettings): (V | undefined)[] {
    return this.#call<(V | undefined)[]>('getMany', Array.from(keys), settings)
  }

  has(key: K, settings?: CallSettings): boolean {
    return this.#call<boolean>('has', key, settings)
  }

  revalidate(key: K, version: Version, settings?: CallSettings): Entry<V> | NotModified | undefined {
    return this.#call<Entry<V> | NotModified | undefined>('revalidate', key, version, settings)
  }

  set(key: K, value: V, options?: SetOptions): Written {
    return this.#call<Written>('set', key, value, options)
  }

  setMany(entries: Iterable<readonly [K, V]>, options?: SetManyOptions): (Written | StoreError)[] {
    return this.#call<unknown[]>('setMany', Array.from(entries), options).map(unmark) as (
      | Written
      | StoreError
    )[]
  }

  delete(key: K, options?: DeleteOptions): Written {
    return this.#call<Written>('delete', key, options)
  }

  deleteMany(keys: Iterable<K>, settings?: CallSettings): (Written | StoreError)[] {
    return this.#call<unknown[]>('deleteMany', Array.from(keys), settings).map(unmark) as (
      | Written
      | StoreError
    )[]
  }

  /** The function stays in this thread: read, change, write if nobody else wrote, up to 16 times. */
  update(key: K, change: Change<V>, settings?: CallSettings): V | undefined {
    for (let attempt = 0; attempt < 16; attempt++) {
      const entry = this.getEntry(key, settings)
      const next = change(entry?.value, entry)
      if (next === undefined) return entry?.value
      if (next === remove && entry === undefined) return undefined
      if (this.#replaced(key, next, entry, settings)) return next === remove ? undefined : next
    }
    throw new StoreError('CONDITION_FAILED', 'Other writers were faster 16 times; nothing was changed.', {
      operation: 'update',
      store: this.name,
    })
  }

  touch(key: K, settings: CallSettings & { readonly ttlMs: number | undefined }): boolean {
    return this.#call<boolean>('touch', key, settings)
  }

  increment(key: K, by?: number, options?: IncrementOptions): number {
    return this.#call<number>('increment', key, by, options)
  }

  keys(options?: ScanOptions<K>): Iterable<K> {
    return this.#list<K>('keys', options)
  }

  entries(options?: ScanOptions<K>): Iterable<readonly [K, Entry<V>]> {
    return this.#list<readonly [K, Entry<V>]>('entries', options)
  }

  count(options?: { readonly prefix?: string } & CallSettings): number {
    return this.#call<number>('count', options)
  }

  clear(what: ClearOptions): number {
    return this.#call<number>('clear', what)
  }

  namespace(name: string): RemoteSyncKeyValue<K, V> {
    return new Remote(this.#run, { ...this.#place, namespace: [...this.#place.namespace, name] })
  }

  close(): void {
    this.#call('close')
  }

  #replaced(
    key: K,
    next: V | typeof remove,
    entry: Entry<V> | undefined,
    settings: CallSettings | undefined,
  ): boolean {
    const ifVersion = entry?.version ?? null
    const ttlMs = entry?.expiresAt === undefined ? undefined : 'keep'
    try {
      if (next === remove) this.#call('delete', key, { ...settings, ifVersion })
      else this.#call('set', key, next, { ...settings, ifVersion, ttlMs })
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
      const asked = { ...options, cursor, limit: left } as ScanOptions<unknown>
      const page = this.#ask({ place: this.#place, what, options: withoutSignal(asked) }) as ScanPage<T>
      yield* page.items
      if (left !== undefined) left -= page.items.length
      cursor = page.cursor
    } while (cursor !== undefined && left !== 0)
  }

  #call<T>(what: PlainMethod, ...args: readonly unknown[]): T {
    const plain = args.map((arg) => (isSettings(arg) ? withoutSignal(arg) : arg))
    return this.#ask({ place: this.#place, what, args: plain }) as T
  }

  #ask(call: RemoteCall): unknown {
    const answer = this.#run(call)
    if ('error' in answer) throw fromPlain(answer.error)
    return answer.value
  }
}

function isSettings(value: unknown): value is CallSettings {
  return (
    typeof value === 'object' && value !== null && 'signal' in value && value.signal instanceof AbortSignal
  )
}

/** A thread that blocks cannot abort. */
function withoutSignal<T extends CallSettings>(settings: T): T {
  if (settings.signal === undefined) return settings
  throw new StoreError(
    'UNSUPPORTED',
    'A call that blocks takes no signal: nothing could abort it. Use timeoutMs.',
  )
}
