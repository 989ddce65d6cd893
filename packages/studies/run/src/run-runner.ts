import { isError } from '@unikv/core/platform'
import type { RunNamespace, StoreTarget, StudyContext } from '@unikv/workload'
import { KeySpace } from '@unikv/workload/keys'
import {
  closedLoop,
  constantRate,
  type LoopResult,
  openLoop,
  poissonRate,
  preciseClock,
  Series,
  type SeriesInterval,
  verdict,
} from '@unikv/workload/loop'
import {
  contextOf,
  countedKinds,
  MixedOperations,
  mixChooser,
  mixOf,
  type OperationContext,
  type OperationName,
} from '@unikv/workload/operations'
import { fastRandom, histogramJson, subSeed } from '@unikv/workload/statistics'
import type { RunRecord } from '../aggregate.ts'
import type { RunConfig } from '../config.ts'
import type { RunCell } from '../plan.ts'
import type { RunSample } from '../result.ts'
import { load } from './load.ts'
import { type ValuePool, valuePool } from './value-pool.ts'

/** Loads each store once, then drives it. */
export class RunRunner {
  readonly #context: StudyContext<RunConfig>
  readonly #names: readonly OperationName[]
  /** The keys that exist in each store. */
  readonly #spaces = new Map<string, KeySpace>()
  #values: ValuePool | undefined

  constructor(context: StudyContext<RunConfig>) {
    this.#context = context
    this.#names = mixOf(context.config.workload).map(([name]) => name)
  }

  async run(cell: RunCell): Promise<RunRecord> {
    const { config, data } = this.#context
    this.#values ??= await valuePool(data, config.workload.values, config.seed)
    if (cell.run > 0) return { cell, loaded: null, sample: await this.#sample(cell) }
    return { cell, loaded: await this.#prepare(cell, this.#values), sample: null }
  }

  async #prepare(cell: RunCell, { lengthLaw }: ValuePool): Promise<RunRecord['loaded']> {
    const { config, signal, report } = this.#context
    const { workload, warmupMs } = config
    this.#spaces.set(cell.store, new KeySpace({ first: workload.firstRecord, count: workload.records }))
    const context = this.#operations(cell)
    const { records: of } = workload
    const loaded = await load(context, signal, (records) =>
      report({ type: 'loading', target: cell.store, records, of }),
    )
    if (warmupMs > 0) await this.#drive(cell, warmupMs)
    return { keyLaw: context.chooser.law, lengthLaw, load: loaded }
  }

  async #sample(cell: RunCell): Promise<RunSample> {
    const [result, series] = await this.#drive(cell, this.#context.config.durationMs)
    const counted = countedKinds(this.#names)
    const isOpen = result.loop === 'open'
    return {
      run: cell.run,
      elapsedMs: result.elapsedMs,
      operations: result.operations,
      errors: result.errors,
      firstError: result.errors === 0 ? null : messageOf(result.firstError),
      kinds: result.kinds.map(({ service, response, errors }, index) => ({
        ...(counted[index] as (typeof counted)[number]),
        errors,
        service: histogramJson(service),
        response: isOpen ? histogramJson(response) : null,
      })),
      series,
      open: openOf(result),
      invalid: verdict(result),
    }
  }

  async #drive(cell: RunCell, durationMs: number): Promise<[LoopResult, readonly SeriesInterval[]]> {
    const { config, signal, report } = this.#context
    const context = this.#operations(cell)
    const random = fastRandom(subSeed(config.seed, cell.run, 'mix'))
    const weights = mixOf(config.workload).map(([, weight]) => weight)
    const work = new MixedOperations(this.#names, context, mixChooser(weights, random))
    const series = new Series(work.kinds.length, (interval) =>
      report({ type: 'interval', target: cell.store, run: cell.run, interval }),
    )
    const limits = { durationMs, signal, observer: series, operations: config.operations ?? undefined }
    const result =
      config.rate === null
        ? await closedLoop(work, { ...limits, workers: config.concurrency })
        : await openLoop(work, {
            ...limits,
            arrivals: this.#arrivals(cell),
            maxInFlight: config.maxInFlight,
            whenFull: config.whenFull,
            clock: preciseClock,
          })
    if (cell.run === 0) signal.throwIfAborted()
    return [result, series.end(result.elapsedMs)]
  }

  #arrivals({ run }: RunCell) {
    const { rate, arrivals, seed } = this.#context.config
    if (arrivals === 'constant') return constantRate(rate as number)
    return poissonRate(rate as number, fastRandom(subSeed(seed, run, 'arrivals')))
  }

  #operations(cell: RunCell): OperationContext {
    const { config, stores, namespaces } = this.#context
    const target = stores.find(({ name }) => name === cell.store) as StoreTarget
    const { keys } = namespaces.get(target) as RunNamespace
    const seed = subSeed(config.seed, cell.run)
    return contextOf({
      workload: config.workload,
      keys,
      space: this.#spaces.get(cell.store) as KeySpace,
      seed,
      expectedInserts: expectedInserts(config),
      valueOf: (this.#values as ValuePool).next(seed),
    })
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

function openOf({ open }: LoopResult): RunSample['open'] {
  if (open === undefined) return null
  const { targetRate, arrivals, dropped, queued, lag } = open
  return { targetRate, arrivals, dropped, queued, lagP99Ms: lag.count === 0 ? 0 : lag.percentile(99) / 1e6 }
}

function messageOf(error: unknown): string {
  return isError(error) ? error.message : String(error)
}
