import { isStoreError } from '@unikv/core'
import type { Driver, DriveSample } from '../../drive/driver.ts'
import { driverOf, expectedInserts } from '../../drive/driver-of.ts'
import { clientPlan } from '../../driven/given/loop-options.ts'
import { SetUps } from '../../own/own-hooks.ts'
import type { RunNamespace } from '../../run/run-namespace.ts'
import { driving, loading, targetOf } from '../../study/running.ts'
import type { CellRunner, StudyContext } from '../../study/study.ts'
import type { SweepConfig } from './config.ts'
import { refusedSample, type SweepRecord, type SweepSample } from './curves.ts'
import { cellsOf, loopOf, recordsKey, type Setting, type SweepCell, settingOf } from './setting.ts'

type Namespace = Pick<RunNamespace, 'keys' | 'path'>

/** Loads each set of records once, then drives; cells that an earlier, interrupted sweep finished are taken from there. */
export class SweepRunner implements CellRunner<SweepCell, SweepRecord> {
  readonly #context: StudyContext<SweepConfig>
  readonly #drivers = new Map<string, Driver>()
  readonly #setUps = new SetUps()

  constructor(context: StudyContext<SweepConfig>) {
    this.#context = context
  }

  async run(cell: SweepCell): Promise<SweepRecord> {
    if (cell.run === 0) {
      if (await this.#isNeeded(cell)) await this.#prepare(cell)
      return { cell, sample: null }
    }
    const found = await this.#kept(cell)
    return { cell, sample: found ?? (await this.#measure(cell)) }
  }

  finish(): Promise<void> {
    return this.#setUps.tearDown()
  }

  async close(): Promise<void> {
    await Promise.all([...this.#drivers.values()].map((driver) => driver.close()))
  }

  /** Whether a cell with these records is still to be measured. */
  async #isNeeded(first: SweepCell): Promise<boolean> {
    const { config, stores } = this.#context
    const names = stores.map(({ name }) => name)
    for (let run = 1; run <= config.runs; run++) {
      for (const cell of cellsOf(config, names, run))
        if (this.#driverKey(cell) === this.#driverKey(first) && (await this.#kept(cell)) === undefined)
          return true
    }
    return false
  }

  async #prepare(cell: SweepCell): Promise<void> {
    const { signal, config } = this.#context
    const { workload } = this.#setting(cell)
    const { firstRecord: first, records: count } = workload
    const namespace = this.#namespace(cell)
    const driver = await this.#open(cell, namespace)
    const onProgress = loading(this.#context, cell.store, count)
    await driver.load({ workload, first, count }, { signal, onProgress })
    await this.#setUps.setUp({ name: cell.store, workload, keys: namespace.keys, signal })
    if (config.warmupMs > 0) await this.#drive(cell, config.warmupMs)
  }

  async #measure(cell: SweepCell): Promise<SweepSample> {
    const refused = await this.#refusal(cell)
    if (refused !== undefined) return refusedSample(this.#setting(cell), refused)
    const { series: _series, ...sample } = await this.#drive(cell, this.#context.config.durationMs)
    await this.#context.cells.write(this.#identity(cell), sample)
    return sample
  }

  /** Why the server has no connection for each caller. A second start tries again. */
  async #refusal(cell: SweepCell): Promise<string | undefined> {
    try {
      await this.#driver(cell).connect?.(this.#setting(cell).concurrency)
      return undefined
    } catch (error) {
      this.#context.signal.throwIfAborted()
      if (isStoreError(error) && error.code !== 'UNSUPPORTED') return error.message
      throw error
    }
  }

  async #drive(cell: SweepCell, durationMs: number): Promise<DriveSample> {
    const { config, signal } = this.#context
    const { operations, runs } = config
    const setting = this.#setting(cell)
    const { workload } = setting
    const request = { workload, loop: loopOf(setting), run: streamOf(cell), durationMs, operations }
    const inserts = expectedInserts(workload, operations, runs)
    const sample = await this.#driver(cell).drive(
      { ...request, expectedInserts: inserts },
      {
        signal,
        onInterval: driving(this.#context, cell.store, cell.run),
      },
    )
    signal.throwIfAborted() // a cell that was cut short counts as not measured
    return sample
  }

  /** A new place for a set of records. */
  #namespace(cell: SweepCell): Namespace {
    const { keys, path } = this.#context.namespaces.get(targetOf(this.#context, cell.store)) as RunNamespace
    const name = `set ${this.#drivers.size}`
    return { keys: keys.namespace(name), path: [...path, name] }
  }

  async #open(cell: SweepCell, namespace: Namespace): Promise<Driver> {
    const { config, data, signal } = this.#context
    const target = targetOf(this.#context, cell.store)
    const { seed, timeoutMs, allowMisses } = config
    const driver = await driverOf({
      ...this.#setting(cell),
      target,
      namespace,
      data,
      seed,
      timeoutMs,
      clients: clientPlan(config),
      allowsMisses: allowMisses,
      signal,
    })
    this.#drivers.set(this.#driverKey(cell), driver)
    return driver
  }

  #driver(cell: SweepCell): Driver {
    return this.#drivers.get(this.#driverKey(cell)) as Driver
  }

  #driverKey(cell: SweepCell): string {
    return `${cell.store} ${recordsKey(this.#setting(cell))}`
  }

  #setting({ load, value }: SweepCell): Setting {
    return settingOf(this.#context.config, load, value)
  }

  async #kept(cell: SweepCell): Promise<SweepSample | undefined> {
    return (await this.#context.cells.read(this.#identity(cell))) as SweepSample | undefined
  }

  /** All that the measurements of a cell depend on, besides machine, versions and data. */
  #identity(cell: SweepCell): object {
    const { seed, timeoutMs, durationMs, operations, warmupMs, ...config } = this.#context.config
    const { merge, connections, allowMisses } = config
    const target = targetOf(this.#context, cell.store)
    const store = { name: target.name, url: target.url, server: this.#context.serverOf(target) }
    const { run } = cell
    const times = { durationMs, operations, warmupMs }
    const clients = { timeoutMs, merge, connections, allowMisses }
    return { store, setting: this.#setting(cell), run, seed, ...times, ...clients }
  }
}

/** Each cell draws from streams of its own, so that one value does not ask for the keys that another one left in a cache. */
function streamOf({ run, point }: SweepCell): number {
  return run * 1_000 + point
}
