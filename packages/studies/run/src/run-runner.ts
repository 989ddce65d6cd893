import type { CellRunner, RunNamespace, StoreTarget, StudyContext } from '@unikv/workload'
import {
  callHook,
  type Driver,
  type DriveSample,
  driverOf,
  expectedInserts,
  type LoopPlan,
  workloadLaws,
} from '@unikv/workload/drive'
import { type DrivenCell, type DrivenRecord, runSampleOf } from '@unikv/workload/driven'
import { seriesInterval } from '@unikv/workload/loop'
import type { RunConfig } from './config.ts'
import { longestWarmupMs, SteadyWatch } from './steady-watch.ts'

/** Loads each store once, then drives it. */
export class RunRunner implements CellRunner<DrivenCell, DrivenRecord> {
  readonly #context: StudyContext<RunConfig>
  readonly #expectedInserts: number
  readonly #drivers = new Map<string, Driver>()
  /** Stores whose `setup` was called. */
  readonly #setUp: StoreTarget[] = []

  constructor(context: StudyContext<RunConfig>) {
    const { workload, operations, runs } = context.config
    this.#context = context
    this.#expectedInserts = expectedInserts(workload, operations, runs)
  }

  async run(cell: DrivenCell): Promise<DrivenRecord> {
    if (this.#drivers.size === 0) await this.#open()
    if (cell.run === 0) return { cell, loaded: await this.#prepare(cell), sample: null }
    const sample = await this.#drive(cell, this.#context.config.durationMs)
    return { cell, loaded: null, sample: runSampleOf(cell.run, sample) }
  }

  /** Tear down what was set up. */
  async finish(): Promise<void> {
    const failures: unknown[] = []
    for (const store of this.#setUp)
      await this.#callHook('teardown', store).catch((error: unknown) => void failures.push(error))
    if (failures.length > 0) throw failures[0]
  }

  async close(): Promise<void> {
    await Promise.all([...this.#drivers.values()].map((driver) => driver.close()))
  }

  /** All drivers before the first load: a store that threads cannot share is refused before a record is written. */
  async #open(): Promise<void> {
    const { config, stores, namespaces, data } = this.#context
    for (const target of stores) {
      const namespace = namespaces.get(target) as RunNamespace
      this.#drivers.set(target.name, await driverOf({ ...config, target, namespace, data }))
    }
  }

  /** Load the store and warm it up. */
  async #prepare(cell: DrivenCell): Promise<DrivenRecord['loaded']> {
    const { config, signal, report } = this.#context
    const { workload, warmupMs } = config
    const { firstRecord: first, records: count } = workload
    const laws = workloadLaws(workload, this.#expectedInserts)
    const onProgress = (records: number): void =>
      report({ type: 'loading', target: cell.store, records, of: count })
    const load = await this.#driver(cell).load({ workload, first, count }, { signal, onProgress })
    await this.#setUpStore(cell)
    if (warmupMs === 'steady') await this.#warmUntilSteady(cell)
    else if (warmupMs > 0) await this.#drive(cell, warmupMs)
    return { ...laws, load }
  }

  /** A setup that failed is torn down, too. */
  async #setUpStore({ store }: DrivenCell): Promise<void> {
    const target = this.#context.stores.find(({ name }) => name === store) as StoreTarget
    this.#setUp.push(target)
    await this.#callHook('setup', target)
  }

  #callHook(hook: 'setup' | 'teardown', target: StoreTarget): Promise<void> {
    const { config, namespaces, signal } = this.#context
    const { keys } = namespaces.get(target) as RunNamespace
    return callHook(hook, { name: target.name, workload: config.workload, keys, signal })
  }

  async #warmUntilSteady(cell: DrivenCell): Promise<void> {
    const { config, signal } = this.#context
    const watch = new SteadyWatch(signal, config.rate !== null)
    try {
      await this.#drive(cell, longestWarmupMs, watch)
    } finally {
      watch.close()
    }
  }

  async #drive(cell: DrivenCell, durationMs: number, watch?: SteadyWatch): Promise<DriveSample> {
    const { config, signal, report } = this.#context
    const { workload, operations } = config
    const { run, store: target } = cell
    const sample = await this.#driver(cell).drive(
      { workload, loop: loopOf(config), run, durationMs, operations, expectedInserts: this.#expectedInserts },
      {
        signal: watch?.signal ?? signal,
        onInterval: (sample) => {
          const interval = seriesInterval(sample)
          report({ type: 'interval', target, run, interval })
          watch?.saw(interval)
        },
      },
    )
    if (run === 0) signal.throwIfAborted()
    return sample
  }

  #driver({ store }: DrivenCell): Driver {
    return this.#drivers.get(store) as Driver
  }
}

/** The plain data of the loop alone, for other threads. */
function loopOf({ concurrency, rate, arrivals, maxInFlight, whenFull }: RunConfig): LoopPlan {
  return { concurrency, rate, arrivals, maxInFlight, whenFull }
}
