import { StoreError } from '@unikv/core'
import { checkFactoryOptions, checkMs, type OptionNames } from '@unikv/core/adapter'
import { performance } from '@unikv/core/platform'
import type { Monitor } from '@unikv/monitor'
import type { Recorder } from '@unikv/monitor/recorder'
import { closeAll } from './closing.ts'
import { type Checked, checked } from './configuration/check-configuration.ts'
import type { Configuration, StoreConfiguration } from './configuration/configuration.ts'
import { configured } from './configuration/configured.ts'
import { orderOf } from './configuration/references.ts'
import { checkUses } from './configuration/uses.ts'
import { FormerStores } from './former-stores.ts'
import { type Health, healthOf } from './health.ts'
import type { AnyManager, ReadyOptions, ReloadOptions } from './manager.ts'
import { type Compared, comparedWith, type Reloaded, refuseLosses } from './reload.ts'
import { checkOwnRecords } from './same-records.ts'
import { type Opened, openedStore } from './stack.ts'
import { checkedOptions, monitorOf, type Record, recorderOf, watchingOf } from './watching.ts'

const readyNames: OptionNames<ReadyOptions> = { timeoutMs: true }
const reloadNames: OptionNames<ReloadOptions> = { environment: true, lingerMs: true }

/** The stores of a configuration, which may change. */
export class OpenManager implements AnyManager {
  readonly monitor: Monitor | undefined
  #recorder: Recorder | undefined
  #configuration: Checked
  readonly #uses: unknown
  readonly #prepare: boolean
  /** In the order in which they were opened. */
  #opened: readonly Opened[] = []
  #stores: AnyManager['stores'] = {}
  /** The end of the exchange before, which the next one waits for. */
  #exchanging: Promise<unknown> = Promise.resolve()
  readonly #former = new FormerStores()
  #closed: Promise<void> | undefined

  private constructor(configuration: Checked, uses: unknown, prepare: boolean) {
    this.#configuration = configuration
    this.#uses = uses
    this.#prepare = prepare
    this.monitor = monitorOf(configuration)
  }

  /** Open all stores of a configuration. `record` records the figures of its monitor, or only checks how that would be done. */
  static async open(
    configuration: Checked,
    uses: unknown,
    record: Record,
    prepare = true,
  ): Promise<OpenManager> {
    const manager = new OpenManager(configuration, uses, prepare)
    manager.#use(configuration, await manager.#openedOf(configuration, []))
    try {
      manager.#recorder = recorderOf(
        configuration.monitor,
        manager.monitor,
        manager.#opened,
        record,
        () => manager.#configuration.monitor,
      )
    } catch (error) {
      await manager.close().catch(() => {})
      throw error
    }
    return manager
  }

  get stores(): AnyManager['stores'] {
    return this.#stores
  }

  get configuration(): Checked {
    return this.#configuration
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

  readonly reload: AnyManager['reload'] = async (config, options = {}) => {
    checkFactoryOptions('reload', options, reloadNames)
    const { environment, lingerMs = 5000 } = options
    checkMs({ lingerMs }, { least: 0 })
    const next = typeof config === 'function' ? undefined : configured('reload', config, { environment })
    const exchanged = this.#exchanging.then(() =>
      // A function gets the configuration that is in use when its turn has come.
      this.#exchange(
        next ?? checked((config as (now: Checked) => Configuration)(this.#configuration)),
        lingerMs,
      ),
    )
    this.#exchanging = exchanged.catch(() => {})
    const { reloaded, closed } = await exchanged
    await closed
    return reloaded
  }

  readonly close = (): Promise<void> => {
    this.#closed ??= this.#close()
    return this.#closed
  };

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #close(): Promise<void> {
    await Promise.all([this.#exchanging, this.#former.end()])
    await this.#former.end() // those of an exchange that was under way
    await closeAll(this.#opened, this.#recorder, this.#configuration.monitor?.keepIn)
  }

  /** Use another configuration. Former stores still take calls: code may have taken one, and be about to use it. */
  async #exchange(
    configuration: Checked,
    lingerMs: number,
  ): Promise<{ readonly reloaded: Reloaded; readonly closed: Promise<void> }> {
    if (this.#closed !== undefined)
      throw new StoreError('CLOSED', 'The manager is closed, so it cannot reload.')
    const startedAt = performance.now()
    const compared = comparedWith(this.#configuration, configuration)
    const former = this.#opened
    checkedOptions(configuration.monitor, this.monitor, former)
    const isKept = ({ name }: Opened): boolean => compared.kept.includes(name)
    await this.#refuseLosses(compared, configuration)
    this.#use(configuration, await this.#openedOf(configuration, former.filter(isKept)))
    const reloaded = { ...compared, elapsedMs: performance.now() - startedAt }
    const left = former.filter((one) => !isKept(one))
    return { reloaded, closed: this.#former.close(left, lingerMs) }
  }

  /** A mistake in the new configuration says more than that its change would lose something. */
  async #refuseLosses(reloaded: Compared, configuration: Checked): Promise<void> {
    try {
      refuseLosses(reloaded, this.#configuration)
    } catch (refusal) {
      const tried = await this.#openedOf(
        configuration,
        this.#opened.filter(({ name }) => reloaded.kept.includes(name)),
      )
      await closeAll(tried.filter((one) => !this.#opened.includes(one))).catch(() => {})
      throw refusal
    }
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
    const used = new Map<string, Opened>()
    try {
      for (const name of orderOf(configuration)) {
        const former = kept.find((one) => one.name === name)
        const watching = { ...watchingOf(name, configuration, this.monitor), prepare: this.#prepare }
        const store = configuration.stores[name] as StoreConfiguration
        const one = former ?? (await openedStore(name, store, used, watching, uses[name]))
        if (former === undefined) made.push(one)
        checkOwnRecords(one, all, configuration.stores)
        all.push(one)
        used.set(name, one)
      }
      return all
    } catch (error) {
      await closeAll(made).catch(() => {})
      throw error
    }
  }
}
