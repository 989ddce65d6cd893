import type { Bytes, KeyValue } from '@unikv/core'
import { Histogram, histogramJson } from '@unikv/core/histogram'
import type { Driver } from '../../../drive/driver.ts'
import { driverOf, expectedInserts } from '../../../drive/driver-of.ts'
import { seriesInterval } from '../../../loop/interval-sample.ts'
import type { Workload } from '../../../operations/workload.ts'
import { clearNamespace, type RunNamespace } from '../../../run/run-namespace.ts'
import type { StoreTarget } from '../../../run/target.ts'
import type { SessionSample } from '../../../session/run/run-sessions.ts'
import type { StudyContext } from '../../../study/study.ts'
import type { SessionConfig } from '../config.ts'
import { callersLoop } from './callers-loop.ts'
import type { Work } from './work.ts'

/** Operations on single records, by the driver of `unikv bench run`. */
export class OperationWork implements Work {
  readonly control = 'none'
  readonly #context: StudyContext<SessionConfig>
  readonly #workload: Workload
  readonly #store: string
  readonly #keys: KeyValue<string, Bytes>
  readonly #driver: Driver

  private constructor(
    context: StudyContext<SessionConfig>,
    workload: Workload,
    { name }: StoreTarget,
    keys: KeyValue<string, Bytes>,
    driver: Driver,
  ) {
    this.#context = context
    this.#workload = workload
    this.#store = name
    this.#keys = keys
    this.#driver = driver
  }

  /** The work over a store. */
  static async open(
    context: StudyContext<SessionConfig>,
    workload: Workload,
    target: StoreTarget,
  ): Promise<OperationWork> {
    const { config, namespaces, data, crew, signal } = context
    const { seed, timeoutMs, threads, workers } = config
    const namespace = namespaces.get(target) as RunNamespace
    const driver = await driverOf({
      target,
      namespace,
      data,
      workload,
      seed,
      timeoutMs,
      threads,
      workers,
      crew,
      signal,
    })
    return new OperationWork(context, workload, target, namespace.keys, driver)
  }

  async populate(): Promise<void> {
    const { signal, report } = this.#context
    if (this.#context.config.loads !== null) return
    const { firstRecord: first, records: of } = this.#workload
    const onProgress = (records: number): void =>
      report({ type: 'loading', target: this.#store, records, of })
    await this.#driver.load({ workload: this.#workload, first, count: of }, { signal, onProgress })
  }

  async drive(run: number, durationMs: number): Promise<SessionSample> {
    const { config, signal, report } = this.#context
    const workload = this.#workload
    const loop = callersLoop(config.callers)
    if (config.loads !== null) await clearNamespace(this.#keys)
    const inserts = expectedInserts(workload, null, config.runs)
    const request = { workload, loop, run, durationMs, operations: config.loads, expectedInserts: inserts }
    const sample = await this.#driver.drive(request, {
      signal,
      onInterval: (one) =>
        report({ type: 'interval', target: this.#store, run, interval: seriesInterval(one) }),
    })
    return { ...noSessions, waits: histogramJson(new Histogram()), sample }
  }

  async check(): Promise<null> {
    return null
  }

  drop(): Promise<void> {
    return this.#driver.close()
  }
}

const noSessions: Pick<SessionSample, 'sessions' | 'modes' | 'statistics'> = {
  sessions: { begun: 0, ended: 0, interactions: 0, mostInteractions: 0, newUsers: 0 },
  modes: {},
  statistics: {},
}
