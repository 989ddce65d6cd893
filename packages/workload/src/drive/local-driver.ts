import type { Bytes, KeyValue } from '@unikv/core'
import type { DataSource } from '../data/data-source.ts'
import { keyNames } from '../keys/key-names.ts'
import { KeySpace, type LoadedKeys } from '../keys/key-space.ts'
import { type Arrivals, constantRate, poissonRate } from '../loop/arrivals.ts'
import { preciseClock } from '../loop/clock.ts'
import { closedLoop } from '../loop/closed-loop.ts'
import type { LoopResult } from '../loop/loop-result.ts'
import { openLoop } from '../loop/open-loop.ts'
import { Series } from '../loop/series.ts'
import type { OperationContext } from '../operations/context.ts'
import { contextOf, recordsOf } from '../operations/context-of.ts'
import { mixChooser } from '../operations/mix-chooser.ts'
import { MixedOperations } from '../operations/mixed-operations.ts'
import { mixOf, type Workload } from '../operations/workload.ts'
import { fastRandom, subSeed } from '../random/random.ts'
import type { DriveHooks, DriveRequest, Driver, LoadHooks, LoadPart } from './driver.ts'
import { load } from './load.ts'
import type { DriveSample, LoadSample } from './sample.ts'
import { sampleOf } from './sample-of.ts'
import { type ValuePool, valuePool } from './value-pool.ts'

/** Where a driver works, and with what. */
export interface DriverOptions {
  /** The namespace of the records. */
  readonly keys: KeyValue<string, Bytes>
  /** The records that are there, or will be when they are loaded. */
  readonly records: LoadedKeys
  /** Values are cut from its objects. */
  readonly data: Pick<DataSource, 'objects'>
  readonly seed: number
}

/** A driver in this thread. It opens nothing. */
export function localDriver(options: DriverOptions): Driver {
  return new LocalDriver(options)
}

class LocalDriver implements Driver {
  readonly #keys: KeyValue<string, Bytes>
  readonly #data: Pick<DataSource, 'objects'>
  readonly #seed: number
  readonly #space: KeySpace
  /** The last pool, and the lengths that it was made for. */
  #pool: { readonly lengths: string; readonly values: ValuePool } | undefined

  constructor({ keys, records, data, seed }: DriverOptions) {
    this.#keys = keys
    this.#data = data
    this.#seed = seed
    this.#space = new KeySpace(records)
  }

  async load(part: LoadPart, hooks: LoadHooks): Promise<LoadSample> {
    const { workload } = part
    const pool = await this.#values(workload)
    const kv = recordsOf(this.#keys)
    const keyOf = keyNames(workload.keyNames)
    return load({ kv, keyOf, valueOf: pool.next(subSeed(this.#seed, 0)) }, part, hooks)
  }

  async drive(request: DriveRequest, { signal, onInterval }: DriveHooks): Promise<DriveSample> {
    const { workload, run, expectedInserts } = request
    const mix = mixOf(workload)
    const names = mix.map(([name]) => name)
    const weights = mix.map(([, weight]) => weight)
    const context = await this.#context(workload, run, expectedInserts)
    const pick = mixChooser(weights, fastRandom(subSeed(this.#seed, run, 'mix')))
    const work = new MixedOperations(names, context, pick)
    const series = new Series(work.kinds.length, onInterval)
    const result = await this.#loop(work, request, signal, series)
    return sampleOf(result, names, series.end(result.elapsedMs))
  }

  async close(): Promise<void> {}

  async #context(workload: Workload, run: number, expectedInserts: number): Promise<OperationContext> {
    const seed = subSeed(this.#seed, run)
    const pool = await this.#values(workload)
    return contextOf({
      workload,
      keys: this.#keys,
      space: this.#space,
      seed,
      expectedInserts,
      valueOf: pool.next(seed),
    })
  }

  async #values({ values: law }: Workload): Promise<ValuePool> {
    const lengths = JSON.stringify(law)
    if (this.#pool?.lengths !== lengths)
      this.#pool = { lengths, values: await valuePool(this.#data, law, this.#seed) }
    return this.#pool.values
  }

  #loop(
    work: MixedOperations,
    request: DriveRequest,
    signal: AbortSignal,
    observer: Series,
  ): Promise<LoopResult> {
    const { loop, durationMs, operations } = request
    const limits = { durationMs, signal, observer, operations: operations ?? undefined }
    if (loop.rate === null) return closedLoop(work, { ...limits, workers: loop.concurrency })
    const { maxInFlight, whenFull } = loop
    const arrivals = this.#arrivals(request, loop.rate)
    return openLoop(work, { ...limits, arrivals, maxInFlight, whenFull, clock: preciseClock })
  }

  #arrivals({ loop, run }: DriveRequest, rate: number): Arrivals {
    if (loop.arrivals === 'constant') return constantRate(rate)
    return poissonRate(rate, fastRandom(subSeed(this.#seed, run, 'arrivals')))
  }
}
