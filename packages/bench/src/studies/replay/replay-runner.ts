import type { Bytes } from '@unikv/core'
import type { DriveSample, LoadSample } from '../../drive/driver.ts'
import { loadRecords } from '../../drive/load.ts'
import { sampleOf } from '../../drive/planned.ts'
import { type DrivenCell, runSampleOf } from '../../driven/runs.ts'
import type { DrivenRecord } from '../../driven/target-results.ts'
import { preciseClock } from '../../loop/clock.ts'
import { closedLoop } from '../../loop/closed-loop.ts'
import { openLoop } from '../../loop/open-loop.ts'
import { Series } from '../../loop/series.ts'
import { countedKinds } from '../../operations/mixed-operations.ts'
import { withMachine } from '../../run/machine.ts'
import type { RunNamespace } from '../../run/run-namespace.ts'
import { driving, loading, targetOf } from '../../study/running.ts'
import type { StudyContext } from '../../study/study.ts'
import type { Trace } from '../../trace/trace.ts'
import { TraceOperations, type TraceTarget, traceArrivals, traceNames } from '../../trace/trace-operations.ts'
import { objectCount, values } from '../../values/values.ts'
import type { ReplayConfig } from './config.ts'
import { configuredTrace } from './traces.ts'

/** The value of a key, by its number and its bytes. */
type ValueOf = (number: number, size: number) => Bytes

/** Replays a trace over one store after the other, each time from the same start. */
export class ReplayRunner {
  readonly #context: StudyContext<ReplayConfig>
  #trace: Trace | undefined
  #valueOf: ValueOf | undefined

  constructor(context: StudyContext<ReplayConfig>) {
    this.#context = context
  }

  async run(cell: DrivenCell): Promise<DrivenRecord> {
    const { config } = this.#context
    const trace = (this.#trace ??= await configuredTrace(config.trace))
    this.#valueOf ??= await this.#values()
    const target = this.#target(cell, this.#valueOf)
    const load = await this.#load(cell, trace, target)
    const sample = await withMachine(() => this.#drive(cell, trace, target))
    return {
      cell,
      loaded: { ...lawsOf(config), isSteady: null, load },
      sample: runSampleOf(cell.run, sample),
    }
  }

  async #values(): Promise<ValueOf> {
    const { config, data } = this.#context
    const size = Math.max(1, config.trace.sizes[1])
    const made = values({ seed: config.seed, objects: await data.objects(size, objectCount(size)) })
    let turn = 0
    return (number, length) => made.bytes(number, length, turn++)
  }

  /** A part of the namespace that is empty. */
  #target({ store, run }: DrivenCell, valueOf: ValueOf): TraceTarget {
    const { namespaces, config } = this.#context
    const { keys } = namespaces.get(targetOf(this.#context, store)) as RunNamespace
    const own = keys.namespace(`run ${run}`)
    return {
      kv: own.namespace('records'),
      counters: own.namespace('counters'),
      valueOf,
      fillsMisses: config.onMiss === 'fill',
    }
  }

  async #load({ store }: DrivenCell, { keys, start }: Trace, target: TraceTarget): Promise<LoadSample> {
    const { config, signal } = this.#context
    // The first call opens the store. That must not be measured.
    await target.kv.has('a key')
    if (config.start === 'empty') return { records: 0, elapsedMs: 0 }
    const keyOf = (index: number): string => keys[start[index]?.key as number] as string
    const valueOf = (index: number): Bytes => {
      const { key, size } = start[index] as Trace['start'][number]
      return target.valueOf(key, size)
    }
    const onProgress = loading(this.#context, store, start.length)
    return loadRecords(
      { kv: target.kv, keyOf, valueOf, largest: Math.max(1, config.trace.sizes[1]) },
      { first: 0, count: start.length },
      { signal, onProgress },
    )
  }

  async #drive({ store, run }: DrivenCell, trace: Trace, target: TraceTarget): Promise<DriveSample> {
    const { config, signal } = this.#context
    const work = new TraceOperations(trace, target)
    const observer = new Series(work.kinds.length, driving(this.#context, store, run))
    const limits = { operations: trace.operations.length, signal, observer }
    const { speed, concurrency, maxInFlight } = config
    const result =
      speed === 'max'
        ? await closedLoop(work, { ...limits, workers: concurrency })
        : await openLoop(work, {
            ...limits,
            arrivals: traceArrivals(trace.atMs ?? [], speed),
            maxInFlight,
            whenFull: 'queue',
            clock: preciseClock,
          })
    return sampleOf(result, countedKinds(traceNames(trace)), observer.end(result.countedMs))
  }
}

/** The laws of keys and lengths, in words. */
function lawsOf({ trace }: ReplayConfig): Pick<NonNullable<DrivenRecord['loaded']>, 'keyLaw' | 'lengthLaw'> {
  const [least, most] = trace.sizes
  const lengths = least === most ? String(least) : `${least} to ${most}`
  return {
    keyLaw: `of the trace (${trace.keys} keys)`,
    lengthLaw: `of the trace (${lengths})`,
  }
}
