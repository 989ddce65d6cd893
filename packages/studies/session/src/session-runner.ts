import { performance } from '@unikv/core/platform'
import { populate, runSessions, type SessionSample } from '@unikv/session'
import type { CellRunner, RunNamespace, StoreTarget, StudyContext } from '@unikv/workload'
import { seriesInterval } from '@unikv/workload/loop'
import { openAccess } from './access/open-access.ts'
import type { OpenedAccess } from './access/opened.ts'
import type { SessionConfig } from './config.ts'
import { Events } from './events.ts'
import { Monitors } from './monitors/monitors.ts'
import type { SessionCell } from './plan.ts'
import type { EventResult, MonitorResult } from './result.ts'

/** A finished cell: the population, or a run. */
export interface SessionRecord {
  readonly cell: SessionCell
  readonly control: string
  /** Making the data, in milliseconds; `null` but in the first cell. */
  readonly populateMs: number | null
  readonly sample: SessionSample | null
  readonly events: readonly EventResult[]
  readonly monitors: readonly MonitorResult[]
  /** Sentences about data that is not consistent after the last run; `null`: it was not checked. */
  readonly problems: readonly string[] | null
}

/** Populates the store of a job once, then runs its sessions. */
export class SessionRunner implements CellRunner<SessionCell, SessionRecord> {
  readonly #context: StudyContext<SessionConfig>
  #access: OpenedAccess | undefined

  constructor(context: StudyContext<SessionConfig>) {
    this.#context = context
  }

  async run(cell: SessionCell): Promise<SessionRecord> {
    const { config, signal } = this.#context
    const access = (this.#access ??= this.#open(cell))
    const base = { cell, control: access.control, events: [], monitors: [], problems: null }
    if (cell.run === 0) return { ...base, populateMs: await this.#populate(access, cell), sample: null }
    const events = new Events(config.events, config.parameters, signal)
    const monitors = new Monitors(config.monitors, config.parameters, signal)
    const end = (): Promise<unknown> => Promise.all([events.end(), monitors.end()])
    const sample = await this.#drive(access, cell, config.durationMs).finally(end)
    const problems = cell.run === config.runs ? ((await access.check?.()) ?? null) : null
    const told = { events: await events.end(), monitors: await monitors.end() }
    return { ...base, populateMs: null, sample, ...told, problems }
  }

  async finish(): Promise<void> {
    await this.#access?.drop()
  }

  #open({ store }: SessionCell): OpenedAccess {
    const { config, stores, namespaces, runId } = this.#context
    const target = stores.find(({ name }) => name === store) as StoreTarget
    const { keys } = namespaces.get(target) as RunNamespace
    return openAccess(config, { store: target.store, keys, prefix: `unikv_${runId}_` })
  }

  async #populate(access: OpenedAccess, cell: SessionCell): Promise<number> {
    const { config, signal, report } = this.#context
    const startedAt = performance.now()
    await access.create()
    await populate(access.db, access.populations, {
      seed: config.seed,
      callers: config.populateCallers,
      check: config.checkPopulation,
      signal,
      onProgress: (records, of) => report({ type: 'loading', target: cell.store, records, of }),
    })
    const populateMs = performance.now() - startedAt
    if (config.warmupMs > 0) await this.#drive(access, cell, config.warmupMs)
    return populateMs
  }

  async #drive(
    access: OpenedAccess,
    { run, store }: SessionCell,
    durationMs: number,
  ): Promise<SessionSample> {
    const { config, signal, report } = this.#context
    const { db, benchmark } = access
    const { model, sessions, callers, seed } = config
    const sample = await runSessions({
      benchmark,
      model,
      db,
      sessions,
      callers,
      durationMs,
      signal,
      seed: seed + run,
      statistics: () => access.statistics(),
      onInterval: (one) => report({ type: 'interval', target: store, run, interval: seriesInterval(one) }),
    })
    signal.throwIfAborted()
    return sample
  }
}
