import { type AnyStore, type Bytes, isStoreError, type KeyValue } from '@unikv/core'
import { checkFactoryOptions, checkMs, type OptionNames } from '@unikv/core/adapter'
import { isError } from '@unikv/core/platform'
import { type Monitor, monitor } from '@unikv/monitor'
import { type Recorder, recorder } from '@unikv/monitor/recorder'
import type { Checked } from './check-configuration.ts'
import type { Configuration, MonitorConfiguration, StoreConfiguration } from './configuration.ts'
import { configured, type OpenStoresOptions } from './configured.ts'
import { type Health, healthOf } from './health.ts'
import { orderOf } from './references.ts'
import { type Opened, openedStore, type Watching } from './stack.ts'
import type { StoresOf } from './store-types.ts'
import { checkUses, type StoresUsed, type StoreUses } from './uses.ts'
import { wrong } from './wrong.ts'

/** Settings of `ready`. */
export interface ReadyOptions {
  /** How long a store may take to answer, in milliseconds. @default 2000 */
  readonly timeoutMs?: number | undefined
}

const readyNames: OptionNames<ReadyOptions> = { timeoutMs: true }

/** The stores of a configuration, opened, and what watches them. */
export interface Manager<C extends Configuration = Configuration, S = StoresOf<C>> {
  /** The stores by name. */
  readonly stores: S
  /** The monitor of all stores, if the configuration has one. */
  readonly monitor: Monitor | undefined
  /** Keeps the figures of the monitor: windows, and the past if it is kept in a store. */
  readonly recorder: Recorder | undefined
  /** Asks each store for an answer: for a readiness probe. */
  ready(this: void, options?: ReadyOptions): Promise<Health>
  /** Whether the manager is open: for a liveness probe, which must not depend on servers. */
  readonly live: boolean
  /**
   * Close all stores, those first that others do not use. Calls under way, and queues of write-behind, end within `graceMs`.
   *
   * @throws {AggregateError} with the errors of stores that could not be closed; the others are closed
   */
  close(this: void): Promise<void>
  /** `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * Open the stores of a configuration. Nothing is connected before the first call.
 *
 * ```ts
 * const { stores, close } = await openStores(config)
 * await stores.users.set('ada', { name: 'Ada' })
 * ```
 *
 * @throws {StoreError} `INVALID_CONFIG`: one sentence with the place of the mistake, without values of variables
 */
export function openStores<const C extends Configuration>(
  config: C,
  options?: OpenStoresOptions & { readonly uses?: undefined },
): Promise<Manager<C>>
export function openStores<const C extends Configuration, const U extends StoreUses>(
  config: C,
  options: OpenStoresOptions & { readonly uses: U },
): Promise<Manager<C, StoresUsed<U>>>
export async function openStores(
  config: Configuration,
  options: OpenStoresOptions = {},
): Promise<AnyManager> {
  const configuration = configured('openStores', config, options)
  const uses = checkUses(options.uses, configuration)
  const order = orderOf(configuration)
  const opened: Opened[] = []
  try {
    const watch = watchOf(configuration)
    const shared = new Map<string, AnyStore>()
    for (const name of order) {
      const one = await openedStore(
        name,
        configuration.stores[name] as StoreConfiguration,
        shared,
        watch.layersOf(name),
        uses[name],
      )
      opened.push(one)
      shared.set(name, one.shared)
    }
    const kept = recorderOf(configuration.monitor, watch.monitor, opened)
    return new OpenManager(opened, {
      monitor: watch.monitor,
      recorder: kept,
      keepIn: configuration.monitor?.keepIn,
    })
  } catch (error) {
    await closeAll(opened).catch(() => {})
    throw error
  }
}

function watchOf({ monitor: given, stores }: Checked) {
  const made = given === undefined ? undefined : monitor({ recentCalls: given.recentCalls })
  const layersOf = (name: string): Watching => {
    const { monitored } = stores[name] as StoreConfiguration
    const keeps = given?.keepIn === name
    const path = `stores.${name}.monitored`
    if (monitored === true && keeps)
      throw wrong(
        path,
        'this store keeps the figures of the monitor, which would count its own writes without end',
      )
    if (monitored === true && made === undefined)
      throw wrong(path, 'there is no monitor. Add `monitor: true` beside `stores`')
    if (made === undefined || keeps || monitored === false) return { above: [], below: [] }
    return { above: [made], below: [made.traffic()] }
  }
  return { monitor: made, layersOf }
}

function recorderOf(
  given: MonitorConfiguration | undefined,
  made: Monitor | undefined,
  opened: readonly Opened[],
): Recorder | undefined {
  if (given === undefined || made === undefined) return undefined
  const { keepIn, recentCalls: _recentCalls, ...options } = given
  const keeper = opened.find(({ name }) => name === keepIn)?.kv as KeyValue<string, Bytes> | undefined
  try {
    return recorder(made, { onError: warnedOnce(), ...options, keepIn: keeper })
  } catch (cause) {
    throw isStoreError(cause) ? wrong('monitor', cause.message, cause) : cause
  }
}

/** Lost figures must not go unseen: the first failure is told as a warning of the process. */
function warnedOnce(): (error: unknown) => void {
  let isTold = false
  return (error) => {
    if (isTold) return
    isTold = true
    const why = isError(error) ? error.message : String(error)
    process.emitWarning(
      `Figures of the monitor could not be kept: ${why} They are written with later ones.`,
      'UnikvWarning',
    )
  }
}

/** The monitor, and the recorder that keeps its figures. */
interface Watch {
  readonly monitor: Monitor | undefined
  readonly recorder: Recorder | undefined
  readonly keepIn: string | undefined
}

/** A manager whose stores have the types of their program. */
type AnyManager = Manager<Configuration, object>

class OpenManager implements AnyManager {
  readonly stores: AnyManager['stores']
  readonly monitor: Monitor | undefined
  readonly recorder: Recorder | undefined
  readonly #opened: readonly Opened[]
  readonly #watch: Watch
  #closed: Promise<void> | undefined

  constructor(opened: readonly Opened[], watch: Watch) {
    this.#opened = opened
    this.#watch = watch
    this.monitor = watch.monitor
    this.recorder = watch.recorder
    this.stores = Object.freeze(Object.fromEntries(opened.map(({ name, kv }) => [name, kv])))
  }

  get live(): boolean {
    return this.#closed === undefined
  }

  // Arrow functions, so that they may be taken out of the object.
  readonly ready = async (options: ReadyOptions = {}): Promise<Health> => {
    checkFactoryOptions('ready', options, readyNames)
    const { timeoutMs = 2000 } = options
    checkMs({ timeoutMs })
    return healthOf(this.#opened, this.recorder?.violations() ?? [], timeoutMs)
  }

  readonly close = (): Promise<void> => {
    this.#closed ??= closeAll(this.#opened, this.#watch)
    return this.#closed
  };

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }
}

/** Close from the last opened to the first: each store before those that it uses. The recorder writes when all monitored calls are over. */
async function closeAll(opened: readonly Opened[], watch?: Watch): Promise<void> {
  const failures = new Map<string, unknown>()
  const closed = async (name: string, one: { close(): Promise<void> } | undefined): Promise<void> => {
    await one?.close().catch((error: unknown) => void failures.set(name, error))
  }
  const recorded = 'the figures of the monitor'
  if (watch?.keepIn === undefined) await closed(recorded, watch?.recorder)
  for (const { name, root } of opened.toReversed()) {
    if (name === watch?.keepIn) await closed(recorded, watch.recorder)
    await closed(name, root)
  }
  if (failures.size > 0)
    throw new AggregateError(failures.values(), `Not closed in order: ${[...failures.keys()].join(', ')}.`)
}
