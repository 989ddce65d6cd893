import { AbortController, pause, performance } from '@unikv/core/platform'
import { runCommand } from '../../run/run-command.ts'
import type { StoreTarget } from '../../run/target.ts'
import type { SessionSample } from '../../session/run/run-sessions.ts'
import type { CellRunner, StudyContext } from '../../study/study.ts'
import type { JobEvent, SessionConfig } from './config.ts'
import { Monitors } from './monitors/monitors.ts'
import type { SessionCell } from './plan.ts'
import type { EventResult, MonitorResult } from './result.ts'
import { OperationWork } from './work/operation-work.ts'
import { SessionWork } from './work/session-work.ts'
import type { Work } from './work/work.ts'

/** Events of one run, which happen at their times while it goes on. */
class Events {
  readonly #over = new AbortController()
  readonly #signal: AbortSignal | undefined
  readonly #happened: Promise<EventResult | undefined>[]

  /** @param signal ends commands that are under way */
  constructor(
    events: readonly JobEvent[],
    parameters: Readonly<Record<string, string>>,
    signal?: AbortSignal,
  ) {
    this.#signal = signal
    const startedAt = performance.now()
    this.#happened = events.map((event) => this.#happen(event, parameters, startedAt))
  }

  /** The run is over: events that did not begin do not happen. Resolves when commands that began have ended. */
  async end(): Promise<readonly EventResult[]> {
    this.#over.abort()
    return (await Promise.all(this.#happened)).filter((event) => event !== undefined)
  }

  async #happen(
    { atMs, command }: JobEvent,
    parameters: Readonly<Record<string, string>>,
    startedAt: number,
  ): Promise<EventResult | undefined> {
    await pause(atMs, { signal: this.#over.signal })
    if (this.#over.signal.aborted) return undefined
    const beganAt = performance.now() - startedAt
    const {
      elapsedMs,
      problem = null,
      output,
    } = await runCommand(command, { input: parameters, signal: this.#signal })
    return { atMs: beganAt, elapsedMs, command, problem, output }
  }
}

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

/** Populates the store of a job once, then runs its work. */
export class SessionRunner implements CellRunner<SessionCell, SessionRecord> {
  readonly #context: StudyContext<SessionConfig>
  #work: Work | undefined

  constructor(context: StudyContext<SessionConfig>) {
    this.#context = context
  }

  async run(cell: SessionCell): Promise<SessionRecord> {
    const { config, signal } = this.#context
    const work = (this.#work ??= await openWork(this.#context, cell.store))
    const base = { cell, control: work.control, events: [], monitors: [], problems: null }
    if (cell.run === 0) return { ...base, populateMs: await this.#populate(work), sample: null }
    const events = new Events(config.events, config.parameters, signal)
    const monitors = new Monitors(config.monitors, config.parameters, signal)
    const end = (): Promise<unknown> => Promise.all([events.end(), monitors.end()])
    const sample = await work.drive(cell.run, config.durationMs).finally(end)
    signal.throwIfAborted()
    const problems = cell.run === config.runs ? await work.check() : null
    const told = { events: await events.end(), monitors: await monitors.end() }
    return { ...base, populateMs: null, sample, ...told, problems }
  }

  async finish(): Promise<void> {
    await this.#work?.drop()
  }

  async #populate(work: Work): Promise<number> {
    const { config, signal } = this.#context
    const startedAt = performance.now()
    await work.populate()
    const populateMs = performance.now() - startedAt
    if (config.warmupMs > 0) await work.drive(0, config.warmupMs)
    signal.throwIfAborted()
    return populateMs
  }
}

/** Open the work of a job: its sessions, or operations in their place. */
async function openWork(context: StudyContext<SessionConfig>, name: string): Promise<Work> {
  const { config, stores } = context
  const target = stores.find((store) => store.name === name) as StoreTarget
  return config.operations === null
    ? SessionWork.open(context, target)
    : OperationWork.open(context, config.operations, target)
}
