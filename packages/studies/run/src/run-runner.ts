import type { RunNamespace, StoreTarget, StudyContext } from '@unikv/workload'
import { type Driver, type DriveSample, localDriver, workloadLaws } from '@unikv/workload/drive'
import { type DrivenCell, type DrivenRecord, runSampleOf } from '@unikv/workload/driven'
import { seriesInterval } from '@unikv/workload/loop'
import { mixOf } from '@unikv/workload/operations'
import type { RunConfig } from './config.ts'

/** Loads each store once, then drives it. */
export class RunRunner {
  readonly #context: StudyContext<RunConfig>
  readonly #expectedInserts: number
  readonly #drivers = new Map<string, Driver>()

  constructor(context: StudyContext<RunConfig>) {
    this.#context = context
    this.#expectedInserts = expectedInserts(context.config)
  }

  async run(cell: DrivenCell): Promise<DrivenRecord> {
    if (cell.run === 0) return { cell, loaded: await this.#prepare(cell), sample: null }
    const sample = await this.#drive(cell, this.#context.config.durationMs)
    return { cell, loaded: null, sample: runSampleOf(cell.run, sample) }
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
    if (warmupMs > 0) await this.#drive(cell, warmupMs)
    return { ...laws, load }
  }

  async #drive(cell: DrivenCell, durationMs: number): Promise<DriveSample> {
    const { config, signal, report } = this.#context
    const { workload, operations } = config
    const { run, store: target } = cell
    const sample = await this.#driver(cell).drive(
      { workload, loop: config, run, durationMs, operations, expectedInserts: this.#expectedInserts },
      {
        signal,
        onInterval: (interval) =>
          report({ type: 'interval', target, run, interval: seriesInterval(interval) }),
      },
    )
    if (run === 0) signal.throwIfAborted()
    return sample
  }

  #driver({ store }: DrivenCell): Driver {
    const found = this.#drivers.get(store)
    if (found !== undefined) return found
    const { config, stores, namespaces, data } = this.#context
    const target = stores.find(({ name }) => name === store) as StoreTarget
    const { keys } = namespaces.get(target) as RunNamespace
    const records = { first: config.workload.firstRecord, count: config.workload.records }
    const made = localDriver({ keys, records, data, seed: config.seed })
    this.#drivers.set(store, made)
    return made
  }
}

/** Twice as many as the mix says, as in YCSB; without a number of operations as many as there are records. */
function expectedInserts({ workload, operations, runs }: RunConfig): number {
  const mix = mixOf(workload)
  const total = mix.reduce((sum, [, weight]) => sum + weight, 0)
  const share = (workload.mix.insert ?? 0) / total
  if (share === 0) return 0
  return operations === null ? workload.records : Math.floor(2 * operations * runs * share)
}
