import type { Driver, DriveSample, LoadSample } from '../../drive/driver.ts'
import { driverOf, expectedInserts } from '../../drive/driver-of.ts'
import { clientPlan } from '../../driven/given/loop-options.ts'
import { targetText } from '../../driven/report/words.ts'
import { type DrivenCell, runSampleOf } from '../../driven/runs.ts'
import type { DrivenRecord } from '../../driven/target-results.ts'
import { seriesInterval } from '../../loop/interval-sample.ts'
import { workloadLaws } from '../../operations/context.ts'
import type { StoreTarget } from '../../run/target.ts'
import { loading, targetOf } from '../../study/running.ts'
import type { CellRunner, StudyContext } from '../../study/study.ts'
import type { RunConfig } from './config.ts'
import { mostPhases } from './phases/given-phases.ts'
import { type Setting, SpoiledPhases, settingOf, settings, warmupSetting } from './phases/setting.ts'
import { Places } from './places.ts'
import { type ResetPlace, Resets } from './resets.ts'
import { longestWarmupMs, SteadyWatch, ThresholdFigures, type Watch } from './watches.ts'

/** Loads each store once, then drives it. */
export class RunRunner implements CellRunner<DrivenCell, DrivenRecord> {
  readonly #context: StudyContext<RunConfig>
  readonly #expectedInserts: number
  readonly #drivers = new Map<string, Driver>()
  readonly #places: Places
  readonly #thresholds: ThresholdFigures
  readonly #spoiled = new SpoiledPhases()
  readonly #resets: Resets

  constructor(context: StudyContext<RunConfig>) {
    this.#context = context
    this.#places = new Places(context)
    this.#resets = new Resets(context.config)
    this.#thresholds = new ThresholdFigures(context.config)
    this.#expectedInserts = settings(context.config).reduce(
      (sum, { workload, operations }) => sum + expectedInserts(workload, operations, context.config.runs),
      0,
    )
  }

  async run(cell: DrivenCell): Promise<DrivenRecord> {
    if (this.#drivers.size === 0) await this.#open()
    if (cell.run === 0) return this.#prepare(cell)
    const reset = await this.#resets.restore(cell.store, cell.run)
    const setting = settingOf(this.#context.config, cell.phase)
    const { phases } = this.#context.config
    if (phases.find(({ name }) => name === cell.phase)?.warmup === true) {
      this.#spoiled.saw(cell.store, String(cell.phase), await this.#drive(cell, setting))
      this.#context.signal.throwIfAborted()
      return { cell, loaded: null, sample: null, reset }
    }
    const watch = this.#thresholds.watch(targetText(cell), setting, this.#context.signal)
    const driven = await this.#drive(cell, setting, watch)
    const sample = { ...driven, invalid: [...this.#spoiled.take(cell.store), ...driven.invalid] }
    return { cell, loaded: null, sample: runSampleOf(cell.run, sample, setting.loop.rate), reset }
  }

  finish(): Promise<void> {
    return this.#places.finish()
  }

  async close(): Promise<void> {
    await Promise.all([...this.#drivers.values()].map((driver) => driver.close()))
    await this.#resets.close()
  }

  /** All drivers before the first load: a store that threads or workers cannot share is refused before a record is written. */
  async #open(): Promise<void> {
    const { config, stores, data, crew, signal } = this.#context
    await this.#places.begin()
    const clients = clientPlan(config)
    const common = { ...config, clients, allowsMisses: config.allowMisses, data, crew, signal }
    for (const target of stores) {
      const namespace = this.#places.of(target)
      this.#drivers.set(target.name, await driverOf({ ...common, target, namespace }))
    }
  }

  /** Load the store and warm it up. */
  async #prepare(cell: DrivenCell): Promise<DrivenRecord> {
    const { workload, warmupMs } = this.#context.config
    const laws = workloadLaws(workload, this.#expectedInserts)
    const target = targetOf(this.#context, cell.store)
    const load = this.#places.loaded(target) ?? (await this.#load(cell))
    const reset = await this.#resets.save(this.#resetPlace(target, load.records))
    await this.#places.setUp(target)
    const isSteady = warmupMs === 'steady' ? await this.#warmUntilSteady(cell) : null
    if (typeof warmupMs === 'number' && warmupMs > 0)
      await this.#drive(cell, { ...warmupSetting(this.#context.config), durationMs: warmupMs })
    const { records, elapsedMs } = load
    return { cell, loaded: { ...laws, isSteady, load: { records, elapsedMs } }, sample: null, reset }
  }

  #resetPlace(target: StoreTarget, records: number): ResetPlace {
    const { keys, path } = this.#places.of(target)
    return { target, keys, path, records, signal: this.#context.signal }
  }

  #load(cell: DrivenCell): Promise<LoadSample> {
    const { config, signal } = this.#context
    const { workload } = config
    const { firstRecord: first, records: count } = workload
    const onProgress = loading(this.#context, cell.store, count)
    return this.#driver(cell).load({ workload, first, count }, { signal, onProgress })
  }

  async #warmUntilSteady(cell: DrivenCell): Promise<boolean> {
    const { config, signal } = this.#context
    const setting = { ...warmupSetting(config), durationMs: longestWarmupMs }
    const watch = new SteadyWatch(signal, setting.loop.rate !== null)
    await this.#drive(cell, setting, watch)
    return watch.isSteady
  }

  async #drive(cell: DrivenCell, setting: Setting, watch?: Watch): Promise<DriveSample> {
    const { config, signal, report } = this.#context
    const { run } = cell
    const request = { ...setting, run: streamOf(config, cell), expectedInserts: this.#expectedInserts }
    const driving = this.#driver(cell).drive(request, {
      signal: watch?.signal ?? signal,
      onInterval: (sample) => {
        const interval = seriesInterval(sample)
        report({ type: 'interval', target: targetText(cell), run, interval })
        watch?.saw(interval, sample)
      },
    })
    const sample = await driving.finally(() => watch?.close())
    if (run === 0) signal.throwIfAborted()
    return sample
  }

  #driver({ store }: DrivenCell): Driver {
    return this.#drivers.get(store) as Driver
  }
}

/** Each phase of a run draws from streams of its own. */
function streamOf({ phases }: RunConfig, { run, phase }: DrivenCell): number {
  if (phases.length === 0) return run
  return run * (mostPhases + 1) + phases.findIndex(({ name }) => name === phase) + 1
}
