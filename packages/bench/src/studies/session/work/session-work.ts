import type { Driver } from '../../../drive/driver.ts'
import { driverOf } from '../../../drive/driver-of.ts'
import { watched } from '../../../drive/lost-records.ts'
import { whole } from '../../../drive/share.ts'
import { seriesInterval } from '../../../loop/interval-sample.ts'
import { type Workload, workloadSchema } from '../../../operations/workload.ts'
import type { RunNamespace } from '../../../run/run-namespace.ts'
import type { StoreTarget } from '../../../run/target.ts'
import { populate } from '../../../session/run/populate.ts'
import type { SessionSample } from '../../../session/run/run-sessions.ts'
import type { StudyContext } from '../../../study/study.ts'
import { openAccess } from '../access/open-access.ts'
import type { OpenedAccess } from '../access/opened.ts'
import type { SessionConfig } from '../config.ts'
import type { OwnFigures } from '../program/own-figures.ts'
import { programDriver } from '../program/session-driver.ts'
import { sessionProgram } from '../program/session-program.ts'
import { callersLoop } from './callers-loop.ts'
import type { Work } from './work.ts'

/** In the place of a workload, where a program does other work. */
const noOperations: Workload = workloadSchema.parse({
  name: 'sessions',
  records: 1,
  mix: { read: 1 },
  keys: { kind: 'uniform' },
  values: { kind: 'constant', length: 1 },
})

/** Sessions of a benchmark: their data is made here, and they run in this thread, in several or on workers elsewhere. */
export class SessionWork implements Work {
  readonly #context: StudyContext<SessionConfig>
  readonly #store: string
  readonly #access: OpenedAccess
  readonly #driver: Driver

  private constructor(
    context: StudyContext<SessionConfig>,
    { name }: StoreTarget,
    access: OpenedAccess,
    driver: Driver,
  ) {
    this.#context = context
    this.#store = name
    this.#access = access
    this.#driver = driver
  }

  /** The work over a store. */
  static async open(context: StudyContext<SessionConfig>, target: StoreTarget): Promise<SessionWork> {
    const { config, namespaces, runId } = context
    const { keys } = namespaces.get(target) as RunNamespace
    const prefix = `unikv_${runId}_`
    const access = openAccess(config, { store: target.store, keys, prefix })
    return new SessionWork(context, target, access, await sessionDriver(context, target, prefix))
  }

  get control(): string {
    return this.#access.control
  }

  async populate(): Promise<void> {
    const { config, signal, report } = this.#context
    await this.#access.create()
    await populate(this.#access.db, this.#access.populations, {
      seed: config.seed,
      callers: config.populateCallers,
      check: config.checkPopulation,
      signal,
      onProgress: (records, of) => report({ type: 'loading', target: this.#store, records, of }),
    })
  }

  async drive(run: number, durationMs: number): Promise<SessionSample> {
    const { config, signal, report } = this.#context
    const loop = callersLoop(config.callers)
    const request = { workload: noOperations, loop, run, durationMs, operations: null, expectedInserts: 0 }
    const { own, ...sample } = await this.#driver.drive(request, {
      signal,
      onInterval: (one) =>
        report({ type: 'interval', target: this.#store, run, interval: seriesInterval(one) }),
    })
    return { sample, ...(own as OwnFigures) }
  }

  async check(): Promise<readonly string[] | null> {
    return (await this.#access.check?.()) ?? null
  }

  async drop(): Promise<void> {
    await this.#driver.close()
    await this.#access.drop()
  }
}

/** The driver of the sessions, by the places that the configuration names. */
async function sessionDriver(
  { config, namespaces, data, crew, signal }: StudyContext<SessionConfig>,
  target: StoreTarget,
  prefix: string,
): Promise<Driver> {
  const { benchmark, access, model, sessions, callers, seed, timeoutMs, threads, workers } = config
  const options = { job: { benchmark, access, model, sessions, callers, seed, timeoutMs }, prefix }
  const namespace = namespaces.get(target) as RunNamespace
  if (threads === 1 && workers === 0)
    return watched(programDriver({ store: target.store, keys: namespace.keys, share: whole, options }))
  const places = { threads, workers, crew, signal }
  const program = sessionProgram(options)
  return driverOf({ target, namespace, data, workload: noOperations, seed, timeoutMs, ...places, program })
}
