import type { DriveRequest, Driver } from '../../drive/driver.ts'
import { type DrivenStore, driverOf, expectedInserts } from '../../drive/driver-of.ts'
import { watched } from '../../drive/lost-records.ts'
import { whole } from '../../drive/share.ts'
import { seriesInterval } from '../../loop/interval-sample.ts'
import { type Workload, workloadSchema } from '../../operations/workload.ts'
import { SetUps } from '../../own/own-hooks.ts'
import { clearNamespace, type RunNamespace } from '../../run/run-namespace.ts'
import type { StoreTarget } from '../../run/target.ts'
import { populate } from '../../session/run/populate.ts'
import type { SessionSample } from '../../session/run/run-sessions.ts'
import type { StudyContext } from '../../study/study.ts'
import { openAccess } from './access.ts'
import { callersLoop } from './check.ts'
import type { SessionConfig } from './config.ts'
import { noSessions, type OwnFigures, sessionProgram } from './program/program.ts'
import { programDriver } from './program/session-driver.ts'

/** The work of a job over its store. */
export interface Work {
  /** How conflicts are met, in a word. */
  readonly control: string
  /** Make the data. */
  populate(): Promise<void>
  /** Work for a time. Each run, from 1, draws from streams of its own; 0 is the warm-up. */
  drive(run: number, durationMs: number): Promise<SessionSample>
  /** Read everything, and tell what is wrong with it; `null`: nothing can be told. */
  check(): Promise<readonly string[] | null>
  /** Remove what is not in the run's namespace, and release what was opened. */
  drop(): Promise<void>
}

type Context = StudyContext<SessionConfig>

/** Open the work of a job: its sessions, or operations in their place. */
export function openWork(context: Context, name: string): Promise<Work> {
  const target = context.stores.find((store) => store.name === name) as StoreTarget
  const { operations } = context.config
  return operations === null ? sessionWork(context, target) : operationWork(context, target, operations)
}

/** Operations on single records, by the driver of `unikv bench run`. */
async function operationWork(context: Context, target: StoreTarget, workload: Workload): Promise<Work> {
  const { config, signal, report } = context
  const { loads: operations, runs } = config
  const driven = drivenStore(context, target, workload)
  const driver = await driverOf(driven)
  const { keys } = driven.namespace
  const setUps = new SetUps()
  return {
    control: 'none',
    async populate() {
      if (operations !== null) return
      const { firstRecord: first, records: count } = workload
      const onProgress = (records: number): void =>
        report({ type: 'loading', target: target.name, records, of: count })
      await driver.load({ workload, first, count }, { signal, onProgress })
      await setUps.setUp({ name: target.name, workload, keys, signal })
    },
    async drive(run, durationMs) {
      if (operations !== null) await clearNamespace(driven.namespace.keys)
      const request = {
        workload,
        run,
        durationMs,
        operations,
        expectedInserts: expectedInserts(workload, null, runs),
      }
      return { ...noSessions, sample: await drive(context, target, driver, request) }
    },
    check: async () => null,
    drop: () => setUps.tearDown().finally(() => driver.close()),
  }
}

/** In the place of a workload, where a program does other work. */
const noOperations: Workload = workloadSchema.parse({
  name: 'sessions',
  records: 1,
  mix: { read: 1 },
  keys: { kind: 'uniform' },
  values: { kind: 'constant', length: 1 },
})

/** Sessions of a benchmark: their data is made here, and they run in this thread, in several or on workers elsewhere. */
async function sessionWork(context: Context, target: StoreTarget): Promise<Work> {
  const { config, runId, signal, report } = context
  const { benchmark, module, access, model, sessions, callers, seed, timeoutMs, threads, workers } = config
  const driven = drivenStore(context, target, noOperations)
  const place = { store: target.store, keys: driven.namespace.keys, prefix: `unikv_${runId}_` }
  const opened = await openAccess(config, place)
  const job = { benchmark, module, access, model, sessions, callers, seed, timeoutMs }
  const options = { job, prefix: place.prefix }
  const isHere = threads === 1 && workers === 0
  const driver = isHere
    ? watched(await programDriver({ ...place, share: whole, options }))
    : await driverOf({ ...driven, program: sessionProgram(options) })
  return {
    control: opened.control,
    async populate() {
      await opened.create()
      await populate(opened.db, opened.populations, {
        seed,
        callers: config.populateCallers,
        check: config.checkPopulation,
        signal,
        onProgress: (records, of) => report({ type: 'loading', target: target.name, records, of }),
      })
    },
    async drive(run, durationMs) {
      const request = { workload: noOperations, run, durationMs, operations: null, expectedInserts: 0 }
      const { own, ...sample } = await drive(context, target, driver, request)
      return { sample, ...(own as OwnFigures) }
    },
    check: async () => (await opened.check?.()) ?? null,
    async drop() {
      await driver.close()
      await opened.drop()
    },
  }
}

function drivenStore(context: Context, target: StoreTarget, workload: Workload): DrivenStore {
  const { config, namespaces, data, crew, signal } = context
  const { seed, timeoutMs, threads, workers } = config
  const namespace = namespaces.get(target) as RunNamespace
  return { target, namespace, data, workload, seed, timeoutMs, threads, workers, crew, signal }
}

function drive(
  { config, signal, report }: Context,
  { name: target }: StoreTarget,
  driver: Driver,
  request: Omit<DriveRequest, 'loop'>,
): ReturnType<Driver['drive']> {
  return driver.drive(
    { ...request, loop: callersLoop(config.callers) },
    {
      signal,
      onInterval: (one) =>
        report({ type: 'interval', target, run: request.run, interval: seriesInterval(one) }),
    },
  )
}
