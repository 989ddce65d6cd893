import {
  type Driver,
  expectedInserts,
  localDriver,
  presetWorkload,
  synthetic,
  type Workload,
} from '@unikv/bench/engine'
import { type Bytes, type KeyValue, StoreError, supports } from '@unikv/core'
import { adapterOf } from '@unikv/core/adapter'
import { Histogram, histogramOf } from '@unikv/core/histogram'
import { performance, wallClock } from '@unikv/core/platform'
import { type LayerConfiguration, openStores } from '@unikv/manager'
import { monitor } from '@unikv/monitor'
import { type Recorder, recorder } from '@unikv/monitor/recorder'
import { Observations } from '../../observe/observations.ts'
import { vectorOf } from '../features.ts'
import type { Round } from './label.ts'
import type { Cell } from './plan.ts'

const records = 1000
const timeoutMs = 10_000
const seed = 42
/** Everything that is written is in this namespace, and is deleted at the end. */
const namespace = 'unikv.tune.learn'

/** Runs only while something is measured. */
class ActiveClock {
  #ms = 0
  #startedAt: number | undefined

  start(): void {
    this.#startedAt = performance.now()
  }

  stop(): void {
    this.#ms = this.now()
    this.#startedAt = undefined
  }

  now(): number {
    return this.#ms + (this.#startedAt === undefined ? 0 : performance.now() - this.#startedAt)
  }
}

/** The parts of a set-up. */
export interface SetUpOptions {
  readonly url: string
  readonly layers: readonly LayerConfiguration[]
  /** A store that the layers name `memory`. */
  readonly memoryUrl: string | undefined
}

/** A store with some layers and records of its own. */
export class SetUp {
  readonly #kv: KeyValue<string, Bytes>
  readonly #recorder: Recorder
  readonly #clock: ActiveClock
  readonly #close: () => Promise<void>
  readonly #drivers = new Map<number, Driver>()
  #runs = 0

  private constructor(
    kv: KeyValue<string, Bytes>,
    its: Recorder,
    clock: ActiveClock,
    close: () => Promise<void>,
  ) {
    this.#kv = kv
    this.#recorder = its
    this.#clock = clock
    this.#close = close
  }

  /** @throws {StoreError} `UNSUPPORTED` for a store that cannot list keys, and so could not be cleaned up */
  static async open(name: string, { url, layers, memoryUrl }: SetUpOptions): Promise<SetUp> {
    const clock = new ActiveClock()
    const watch = monitor()
    const tier = memoryUrl === undefined ? {} : { memory: memoryUrl }
    const { stores, close } = await openStores({
      stores: { ...tier, learned: { url, layers: [...layers, watch, watch.traffic()] } },
    })
    const all = stores as { readonly [name: string]: KeyValue<string, Bytes> }
    const kv = (all['learned'] as KeyValue<string, Bytes>).namespace(namespace).namespace(name)
    await cleared(kv)
    const its = recorder(watch, { monotonicClock: () => clock.now() })
    return new SetUp(kv, its, clock, close)
  }

  /** The product of the store. */
  get kind(): string {
    const { dataset, name } = adapterOf(this.#kv)
    return dataset?.split('/')[0] ?? name
  }

  /** Drive it once. */
  async round(cell: Cell, durationMs: number, signal: AbortSignal): Promise<Round> {
    const workload = presetWorkload(cell.mix, { records, valueBytes: cell.bytes })
    const driver = await this.#driverFor(workload, cell.bytes, signal)
    this.#runs += 1
    this.#clock.start()
    const sample = await driver
      .drive(
        {
          workload,
          loop: {
            concurrency: cell.callers,
            rate: null,
            arrivals: 'constant',
            maxInFlight: 1,
            whenFull: 'drop',
          },
          run: this.#runs,
          durationMs,
          operations: null,
          expectedInserts: expectedInserts(workload, null, 1),
        },
        { signal },
      )
      .finally(() => this.#clock.stop())
    const times = new Histogram()
    for (const { service } of sample.kinds) if (service.count > 0) times.merge(histogramOf(service))
    return {
      opsPerSecond: (sample.operations * 1000) / Math.max(1, sample.elapsedMs),
      p99Ms: times.count === 0 ? 0 : times.percentile(99) / 1e6,
    }
  }

  /** The numbers of the store, from the rounds of the last five seconds. */
  vector(): Float64Array {
    const { frame, seenMs: lengthMs } = this.#recorder.window('5s')
    const { servers } = this.#recorder.since()
    const at = wallClock()
    const { name: store } = adapterOf(this.#kv)
    const observations = new Observations()
    // The load of this process is that of what drives the store, not of an application.
    observations.add({ at, lengthMs, frame, servers, processes: 1 })
    const none = { configuration: {}, policies: [], brokenSince: () => undefined, actions: [] }
    return vectorOf({ ...none, store, kind: this.kind, observations, now: at })
  }

  /** Version of the server, if it tells. */
  get version(): string | undefined {
    return Object.values(this.#recorder.since().servers)[0]?.statistics.version
  }

  async close(): Promise<void> {
    try {
      await this.#recorder.close()
      await cleared(this.#kv)
    } finally {
      await this.#close()
    }
  }

  async #driverFor(workload: Workload, bytes: number, signal: AbortSignal): Promise<Driver> {
    const known = this.#drivers.get(bytes)
    if (known !== undefined) return known
    const keys = this.#kv.namespace(String(bytes))
    const driver = localDriver({
      keys,
      records: { first: 0, count: records },
      data: synthetic({ seed }),
      seed,
      timeoutMs,
    })
    await driver.load({ workload, first: 0, count: records }, { signal })
    this.#drivers.set(bytes, driver)
    return driver
  }
}

async function cleared(kv: KeyValue<string, Bytes>): Promise<void> {
  if (!supports(kv, 'scan'))
    throw new StoreError('UNSUPPORTED', `${kv.name} cannot list keys, so its trials could not be cleaned up.`)
  await kv.clear({ all: true })
}
