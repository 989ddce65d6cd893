import { type AnyStore, StoreError } from '@unikv/core'
import { checkFactoryOptions, checkMs, type OptionNames } from '@unikv/core/adapter'
import { clearTimeout, setTimeout } from '@unikv/core/platform'
import type { Monitor } from '@unikv/monitor'
import type { Recorder } from '@unikv/monitor/recorder'
import { closeAll } from './closing.ts'
import type { Checked } from './configuration/check-configuration.ts'
import type { Configuration, StoreConfiguration } from './configuration/configuration.ts'
import { configured } from './configuration/configured.ts'
import { orderOf } from './configuration/references.ts'
import { checkUses } from './configuration/uses.ts'
import { type Health, healthOf } from './health.ts'
import type { Manager, ReadyOptions, ReloadOptions } from './manager.ts'
import { comparedWith, type Reloaded } from './reload.ts'
import { checkOwnRecords } from './same-records.ts'
import { type Opened, openedStore } from './stack.ts'
import { monitorOf, type Record, recorderOf, watchingOf } from './watching.ts'

/** A manager whose stores have the types of their program. */
export type AnyManager = Manager<Configuration, object>

const readyNames: OptionNames<ReadyOptions> = { timeoutMs: true }
const reloadNames: OptionNames<ReloadOptions> = { environment: true, lingerMs: true }

/** The stores of a configuration, which may change. */
export class OpenManager implements AnyManager {
  readonly monitor: Monitor | undefined
  #recorder: Recorder | undefined
  #configuration: Checked
  readonly #uses: unknown
  /** In the order in which they were opened. */
  #opened: readonly Opened[] = []
  #stores: AnyManager['stores'] = {}
  /** The end of the reload before, which the next one waits for. */
  #reloading: Promise<unknown> = Promise.resolve()
  /** Called when the manager closes, so that former stores need not wait any longer. */
  #stopLingering = (): void => {}
  #closed: Promise<void> | undefined

  private constructor(configuration: Checked, uses: unknown) {
    this.#configuration = configuration
    this.#uses = uses
    this.monitor = monitorOf(configuration)
  }

  /** Open all stores of a configuration. `record` records the figures of its monitor, or only checks how that would be done. */
  static async open(configuration: Checked, uses: unknown, record: Record): Promise<OpenManager> {
    const manager = new OpenManager(configuration, uses)
    manager.#use(configuration, await manager.#openedOf(configuration, []))
    try {
      manager.#recorder = recorderOf(configuration.monitor, manager.monitor, manager.#opened, record)
    } catch (error) {
      await manager.close().catch(() => {})
      throw error
    }
    return manager
  }

  get stores(): AnyManager['stores'] {
    return this.#stores
  }

  get recorder(): Recorder | undefined {
    return this.#recorder
  }

  get live(): boolean {
    return this.#closed === undefined
  }

  // Arrow functions, so that they may be taken out of the object.
  readonly ready = async (options: ReadyOptions = {}): Promise<Health> => {
    checkFactoryOptions('ready', options, readyNames)
    const { timeoutMs = 2000 } = options
    checkMs({ timeoutMs })
    return healthOf(this.#opened, this.#recorder?.violations() ?? [], timeoutMs)
  }

  readonly reload = async (config: Configuration, options: ReloadOptions = {}): Promise<Reloaded> => {
    checkFactoryOptions('reload', options, reloadNames)
    const { environment, lingerMs = 5000 } = options
    checkMs({ lingerMs }, { least: 0 })
    const configuration = configured('reload', config, { environment })
    const next = this.#reloading.then(() => this.#reload(configuration, lingerMs))
    this.#reloading = next.catch(() => {})
    return next
  }

  readonly close = (): Promise<void> => {
    this.#stopLingering()
    this.#closed ??= this.#reloading.then(() =>
      closeAll(this.#opened, this.#recorder, this.#configuration.monitor?.keepIn),
    )
    return this.#closed
  };

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #reload(configuration: Checked, lingerMs: number): Promise<Reloaded> {
    if (this.#closed !== undefined)
      throw new StoreError('CLOSED', 'The manager is closed, so it cannot reload.')
    const reloaded = comparedWith(this.#configuration, configuration)
    const former = this.#opened
    const isKept = ({ name }: Opened): boolean => reloaded.kept.includes(name)
    this.#use(configuration, await this.#openedOf(configuration, former.filter(isKept)))
    const left = former.filter((one) => !isKept(one))
    // Code that has taken a store out before may still be about to use it.
    if (left.length > 0) await this.#linger(lingerMs)
    await closeAll(left)
    return reloaded
  }

  async #linger(ms: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined
    await new Promise<void>((resolve) => {
      timer = setTimeout(resolve, ms)
      this.#stopLingering = resolve
    })
    clearTimeout(timer)
  }

  #use(configuration: Checked, opened: readonly Opened[]): void {
    this.#configuration = configuration
    this.#opened = opened
    this.#stores = Object.freeze(Object.fromEntries(opened.map(({ name, kv }) => [name, kv])))
  }

  /** The stores of a configuration, in their order; those that are `kept` are not opened again. */
  async #openedOf(configuration: Checked, kept: readonly Opened[]): Promise<readonly Opened[]> {
    const uses = checkUses(this.#uses, configuration)
    const all: Opened[] = []
    const made: Opened[] = []
    const shared = new Map<string, AnyStore>()
    try {
      for (const name of orderOf(configuration)) {
        const former = kept.find((one) => one.name === name)
        const watching = watchingOf(name, configuration, this.monitor)
        const store = configuration.stores[name] as StoreConfiguration
        const one = former ?? (await openedStore(name, store, shared, watching, uses[name]))
        if (former === undefined) made.push(one)
        checkOwnRecords(one, all, configuration.stores)
        all.push(one)
        shared.set(name, one.shared)
      }
      return all
    } catch (error) {
      await closeAll(made).catch(() => {})
      throw error
    }
  }
}
