import { another } from '../codecs/documents.ts'
import { type Awaitable, andThen, isPromise } from '../contract/awaitable.ts'
import type { Capabilities } from '../contract/capabilities.ts'
import { StoreError } from '../contract/errors.ts'
import type { Totals } from '../contract/query.ts'
import type { Entry } from '../contract/store.ts'
import type { AggregateOptions, FindOptions } from '../find/options.ts'
import { checkSegment, namespacePrefix } from '../keys/canonical-key.ts'
import type { KeyCodec } from '../keys/key-codec.ts'
import { isPlainObject } from '../platform/realms.ts'
import { monotonicClock } from '../platform/timers.ts'
import { levelPastCaches } from '../stack/layers-of.ts'
import { checkCallOptions } from './call-settings.ts'
import { clear } from './clear.ts'
import { defineCalls, reads, writes } from './define-calls.ts'
import { Direct } from './direct.ts'
import type { Engine } from './engine.ts'
import type { aggregate, find } from './find.ts'
import { foundOf } from './finish.ts'
import type { Call, FullKeyValue, Scan, ScanPage } from './key-value.ts'
import { type AnyScan, entryItem, keyItem } from './listing.ts'
import { wholeCall } from './raw-pages.ts'
import { counted, scanOf } from './scanning.ts'
import type { CallSettings, ClearOptions, CountOptions, ScanOptions, UpdateOptions } from './settings.ts'
import { type Change, checkTake, checkUpdate, take, update } from './update.ts'

/** The calls that need no more than a promise. */
// oxlint-disable-next-line no-unsafe-declaration-merging -- the static block of the class adds them
export interface View<K, V> extends Pick<FullKeyValue<K, V>, Call> {}

/** A KeyValue over a stack, or a namespace view of one. */
export class View<K, V> {
  static {
    defineCalls(this.prototype, [...reads, ...writes], (view, name, work) => view.#promised(name, work))
  }

  /** The operations behind the promises. */
  readonly '~direct': Direct<K, V>
  declare readonly segments: readonly string[]

  constructor(engine: Engine, segments: readonly string[], codec: KeyCodec<K> | undefined) {
    this.segments = segments
    this['~direct'] = new Direct(engine, namespacePrefix(segments), codec)
  }

  get name(): string {
    return this.#engine.store.name
  }

  get capabilities(): Capabilities {
    return this.#engine.store.capabilities
  }

  get native(): unknown {
    return this.#engine.store.native
  }

  get(key: K, settings?: CallSettings): Promise<V | undefined> {
    // Not by `#promised`: this is the path that a cached read takes.
    try {
      const value = this['~direct'].get(key, settings)
      // oxlint-disable-next-line no-instanceof-builtins -- a promise of another realm is awaited, which takes longer
      return value instanceof Promise ? value : promised(value)
    } catch (error) {
      return this.#refused('get', error)
    }
  }

  ping(settings?: CallSettings): Promise<number> {
    return this.#promised('ping', (direct) => ping(direct, settings))
  }

  update(key: K, change: Change<V>, settings?: UpdateOptions): Promise<V | undefined> {
    return this.#promised('update', (direct) => {
      checkUpdate(direct, change, settings)
      return update(direct, key, change, settings)
    })
  }

  take(key: K, settings?: CallSettings): Promise<V | undefined> {
    return this.#promised('take', (direct) => {
      checkTake(direct, settings)
      return take(direct, key, settings)
    })
  }

  keys(options: ScanOptions<K> = {}): Scan<K> {
    return scanOf(this['~direct'], 'keys', options as AnyScan<K>, false, keyItem)
  }

  entries(options: ScanOptions<K> = {}): Scan<readonly [K, Entry<V>]> {
    return scanOf(this['~direct'], 'entries', options as AnyScan<K>, true, entryItem<K, V>)
  }

  count(options: CountOptions<K> = {}): Promise<number> {
    return this.#promised('count', (direct) => {
      direct.engine.call(options)
      return counted(direct, options as AnyScan<K>)
    })
  }

  find(query: FindOptions): Promise<ScanPage<readonly [K, Entry<V>]>> {
    return this.#promised('find', (direct) =>
      queried(direct, 'find', query, ({ find }, own) => find(direct, own)),
    )
  }

  aggregate(query: AggregateOptions): Promise<Totals> {
    return this.#promised('aggregate', (direct) =>
      queried(direct, 'aggregate', query, ({ aggregate }, own) => aggregate(direct, own)),
    )
  }

  clear(what: ClearOptions<K>): Promise<number> {
    return clear(this['~direct'], this.segments, what)
  }

  namespace(name: string): View<K, V> {
    checkSegment(name)
    return new View(this.#engine, [...this.segments, name], this['~direct'].codec)
  }

  async close(...given: readonly unknown[]): Promise<void> {
    refuseGrace(given[0])
    if (this.segments.length === 0) await this.#engine.close()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  get #engine(): Engine {
    return this['~direct'].engine
  }

  #promised<T>(operation: string, work: (direct: Direct<K, V>) => Awaitable<T>): Promise<T> {
    try {
      const answer = work(this['~direct'])
      return isPromise(answer) ? answer : Promise.resolve(answer)
    } catch (error) {
      return this.#refused(operation, error)
    }
  }

  #refused(operation: string, error: unknown): Promise<never> {
    return Promise.reject(this.#engine.refused(error, operation))
  }
}

/** Loaded with the first query. */
interface Queries {
  readonly aggregate: typeof aggregate
  readonly find: typeof find
}

let loaded: Queries | undefined

/** Run a query. The first one loads what queries need: programs without any do not carry it. */
function queried<K, V, Q extends FindOptions, T>(
  { engine }: Direct<K, V>,
  operation: string,
  query: Q,
  run: (queries: Queries, query: Q) => Promise<T>,
): Promise<T> {
  engine.call(query)
  const own = loaded === undefined ? kept(query) : query
  return engine.task([], async () => {
    try {
      loaded ??= await import('./find.ts')
      return await run(loaded, own)
    } catch (error) {
      throw engine.located(error, operation)
    }
  })
}

/** A query that waits, as it is now: it is its owner's again. Its deadline begins. */
function kept<Q extends FindOptions>(query: Q): Q {
  if (!isPlainObject(query)) return query
  return wholeCall({ ...query, where: another(query.where), orderBy: another(query.orderBy) })
}

/** A key that nothing is ever written to. */
const pingKey = '\u0002ping'

/** `KeyValue.ping`: a read of a key that is never there, past all caches. */
function ping<K, V>(direct: Direct<K, V>, settings: CallSettings = {}): Awaitable<number> {
  checkCallOptions('ping', settings)
  const { engine } = direct
  const { consistency = levelPastCaches(engine.store) } = settings
  const begun = monotonicClock()
  const answer = engine.read(
    'ping',
    [{ key: pingKey, head: true }],
    engine.call({ ...settings, consistency }),
    foundOf,
  )
  return andThen(answer, () => monotonicClock() - begun)
}

/** Events and signals of handlers pass; options would be ignored. */
function refuseGrace(given: unknown): void {
  if (Object.hasOwn(Object(given) as object, 'graceMs'))
    throw new StoreError('INVALID_ARGUMENT', 'close() takes no options. Pass `graceMs` to keyValue().')
}

/** Cheaper than `Promise.resolve`, which must look at the value first. */
async function promised<T>(value: T): Promise<T> {
  return value
}
