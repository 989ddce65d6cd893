import type { Bytes, KeyValue } from '@unikv/core'
import type { DataSource } from '../data/data-source.ts'
import { KeySpace, keyNames, keyNumbers, type LoadedKeys } from '../keys/key-space.ts'
import { type LoopClock, timerClock } from '../loop/clock.ts'
import { Series } from '../loop/series.ts'
import {
  ClientContexts,
  contextOf,
  type OperationContext,
  recordsOf,
  sameContext,
} from '../operations/context.ts'
import type { OperationKind } from '../operations/kinds.ts'
import { mixChooser, mixOf } from '../operations/mix.ts'
import { countedKinds, MixedOperations } from '../operations/mixed-operations.ts'
import { ReadChecks } from '../operations/read-checks.ts'
import type { Workload } from '../operations/workload.ts'
import { invalidArgument } from '../options/invalid.ts'
import type { OwnWorkload } from '../own/define-workload.ts'
import { keptAlive } from '../own/own-hooks.ts'
import { type OwnRun, ownKinds } from '../own/own-kinds.ts'
import { reopenOwnModule } from '../own/own-module.ts'
import { type OwnOrder, ownOrder } from '../own/own-order.ts'
import { fastRandom, subSeed } from '../random/random.ts'
import { greatestLength } from '../values/length-law.ts'
import { type ValuePool, valuePool } from '../values/values.ts'
import type { Clients } from './clients.ts'
import type {
  DriveHooks,
  DriveRequest,
  Driver,
  DriveSample,
  LoadHooks,
  LoadPart,
  LoadSample,
} from './driver.ts'
import { loadRecords } from './load.ts'
import { planned, sampleOf } from './planned.ts'
import { partOf, rangeOf, recordNumbers, type Share, whole } from './share.ts'

/** Where a driver works, and with what. */
export interface DriverOptions {
  /** The namespace of the records. */
  readonly keys: KeyValue<string, Bytes>
  /** How callers reach the store; their calls are counted. @default all by `keys`, without a count */
  readonly clients?: Clients | undefined
  /** The records that are there, or will be when they are loaded. */
  readonly records: LoadedKeys
  /** Values are cut from its objects. */
  readonly data: Pick<DataSource, 'objects'>
  readonly seed: number
  /** An own operation that did not settle by then has failed. */
  readonly timeoutMs: number
  /**
   * The part that this driver does of every load and run. Each of several draws from streams of its own, and knows the
   * loaded records and those that it inserted itself.
   * @default all
   */
  readonly share?: Share | undefined
  /**
   * Records that this share inserted before: by another driver whose place this one takes.
   * @default 0
   */
  readonly inserted?: number | undefined
  /** @default the real one */
  readonly clock?: LoopClock | undefined
}

/** A driver in this thread, and what it inserted. */
export interface LocalDriver extends Driver {
  /** Records that its share has inserted, those of drivers before it included. */
  readonly inserted: number
}

/** A driver in this thread. It opens nothing. */
export function localDriver(options: DriverOptions): LocalDriver {
  return new OwnDriver(options)
}

class OwnDriver implements LocalDriver {
  readonly #by: DriverOptions
  readonly #share: Share
  readonly #space: KeySpace
  readonly #recordNumber: (number: number) => number
  /** The last pool, and the lengths that it was made for. */
  #pool: { readonly lengths: string; readonly values: ValuePool } | undefined

  constructor(options: DriverOptions) {
    const { records, share = whole, inserted = 0 } = options
    const { first = 0, count } = records
    this.#by = options
    this.#share = share
    this.#space = new KeySpace({ first, count: count + inserted })
    this.#recordNumber = recordNumbers(first + count, share)
  }

  get inserted(): number {
    return this.#space.count - this.#by.records.count
  }

  async load({ workload, ...range }: LoadPart, hooks: LoadHooks): Promise<LoadSample> {
    const pool = await this.#values(workload)
    const kv = recordsOf(this.#by.keys)
    const keyOf = keyNames(workload.keyNames)
    const valueOf = pool.next(this.#seedOf(0))
    const largest = greatestLength(workload.values)
    return loadRecords({ kv, keyOf, valueOf, largest }, rangeOf(range, this.#share), hooks)
  }

  async connect(callers: number): Promise<void> {
    await this.#by.clients?.reach(partOf(callers, this.#share))
  }

  drive(request: DriveRequest, hooks: DriveHooks): Promise<DriveSample> {
    return keptAlive(() => this.#drive(request, hooks))
  }

  async #drive(request: DriveRequest, { signal, onInterval, start }: DriveHooks): Promise<DriveSample> {
    const { workload, run } = request
    const { clients } = this.#by
    if (request.loop.rate === null) await this.connect(request.loop.concurrency)
    const mix = mixOf(workload)
    const names = mix.map(([name]) => name)
    const weights = mix.map(([, weight]) => weight)
    const context = await this.#context(request)
    const module = workload.module === null ? undefined : await reopenOwnModule(workload.module)
    const order = await this.#order(module, names, request)
    const draw = mixChooser(weights, fastRandom(this.#seedOf(run, 'mix')))
    const pick = order === undefined ? draw : () => order.pick()
    const own = await this.#ownKinds(module, request, { context, signal, order })
    const contexts = clients === undefined ? sameContext(context) : new ClientContexts(clients, context)
    const counted = countedKinds(names, workload.module)
    const work = new MixedOperations(counted, contexts, pick, own, order)
    const series = new Series(work.kinds.length, onInterval, request.durationMs)
    const random = fastRandom(this.#seedOf(run, 'arrivals'))
    await start?.()
    const clock = this.#by.clock ?? (order === undefined ? undefined : timerClock)
    const part = { share: this.#share, random, signal, observer: series, clock }
    const callsBefore = clients?.calls ?? 0
    const result = await planned(work, request, part).finally(() => order?.end())
    const sample = sampleOf(result, counted, series.end(result.countedMs), context.checks)
    if (clients === undefined) return sample
    return { ...sample, calls: clients.calls - callsBefore, connections: clients.connections }
  }

  async close(): Promise<void> {
    await this.#by.clients?.close()
  }

  async #context({ workload, run, expectedInserts }: DriveRequest): Promise<OperationContext> {
    const seed = this.#seedOf(run)
    const pool = await this.#values(workload)
    const next = pool.next(seed)
    const recordNumber = this.#recordNumber
    const context = contextOf({
      workload,
      keys: this.#by.clients?.base ?? this.#by.keys,
      space: this.#space,
      seed,
      expectedInserts: partOf(expectedInserts, { ...this.#share, index: 0 }),
      valueOf: (number) => next(recordNumber(number)),
    })
    const numberOf = keyNumbers(workload.keyNames)
    const checks = new ReadChecks(
      (number, value) => pool.matches(recordNumber(number), value),
      (key, value) => {
        const number = numberOf(key)
        return number === undefined ? undefined : pool.matches(number, value)
      },
    )
    return {
      ...context,
      keyOf: (number) => context.keyOf(recordNumber(number)),
      checks: workload.check ? checks : undefined,
    }
  }

  /** The operations of the workload's module. */
  async #ownKinds(
    module: OwnWorkload<unknown> | undefined,
    { workload, loop, run }: DriveRequest,
    parts: Pick<OwnRun, 'context' | 'signal' | 'order'>,
  ): Promise<ReadonlyMap<string, OperationKind>> {
    if (module === undefined) return new Map()
    const callers = loop.rate === null ? partOf(loop.concurrency, this.#share) : 1
    const file = workload.module?.file ?? ''
    const { timeoutMs } = this.#by
    return ownKinds(module, { ...parts, callers, file, seed: this.#seedOf(run), timeoutMs })
  }

  /** The sessions of the workload's module, if it has some. */
  async #order(
    module: OwnWorkload<unknown> | undefined,
    names: readonly string[],
    { workload, loop, run }: DriveRequest,
  ): Promise<OwnOrder | undefined> {
    if (module?.sessions === undefined) return undefined
    const file = workload.module?.file ?? ''
    if (loop.rate !== null)
      throw invalidArgument(`${file} has sessions, which wait for their users: a run of them has no rate.`)
    const { clients, keys, clock = timerClock } = this.#by
    const kv = recordsOf(clients?.base ?? keys)
    const { concurrency: callers } = loop
    return ownOrder(module, names, { kv, clock, callers, share: this.#share, seed: this.#seedOf(run) }, file)
  }

  /** The only driver has the streams of a run; each of several has its own. */
  #seedOf(run: number, ...parts: readonly string[]): number {
    const { index, of } = this.#share
    const { seed } = this.#by
    return of === 1 ? subSeed(seed, run, ...parts) : subSeed(seed, run, index, ...parts)
  }

  async #values({ values: law }: Workload): Promise<ValuePool> {
    const lengths = JSON.stringify(law)
    if (this.#pool?.lengths !== lengths)
      this.#pool = { lengths, values: await valuePool(this.#by.data, law, this.#by.seed) }
    return this.#pool.values
  }
}
