import { AbortController, pause, performance } from '@unikv/core/platform'
import { runCommand } from '../../run/run-command.ts'
import type { SessionSample } from '../../session/run/run-sessions.ts'
import type { CellRunner, StudyContext } from '../../study/study.ts'
import type { JobEvent, SessionConfig } from './config.ts'
import { Monitors } from './monitors.ts'
import type { EventResult, MonitorResult } from './result.ts'
import { openWork, type Work } from './work.ts'

/** One run of the job. */
export interface SessionCell {
  /** 0 populates and warms up, and is not counted; measured runs count from 1. */
  readonly run: number
  /** Always 0: there is no axis of sizes. */
  readonly point: 0
  readonly store: string
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
    const events = happening(config.events, config.parameters, signal)
    const store = this.#context.stores.find(({ name }) => name === cell.store)?.store
    const monitors = new Monitors(config.monitors, config.parameters, { signal, store })
    const end = (): Promise<unknown> => Promise.all([events(), monitors.end()])
    const sample = await work.drive(cell.run, config.durationMs).finally(end)
    signal.throwIfAborted()
    const problems = cell.run === config.runs ? await work.check() : null
    const told = { events: await events(), monitors: await monitors.end() }
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

/**
 * Let the events of a run happen at their times while it goes on.
 *
 * @param signal ends commands that are under way
 * @returns ends them: events that did not begin do not happen. It resolves when commands that began have ended
 */
function happening(
  events: readonly JobEvent[],
  input: Readonly<Record<string, string>>,
  signal: AbortSignal,
): () => Promise<readonly EventResult[]> {
  const over = new AbortController()
  const startedAt = performance.now()
  const happened = events.map(async ({ atMs, command }): Promise<EventResult | undefined> => {
    await pause(atMs, { signal: over.signal })
    if (over.signal.aborted) return undefined
    const beganAt = performance.now() - startedAt
    const { elapsedMs, problem = null, output } = await runCommand(command, { input, signal })
    return { atMs: beganAt, elapsedMs, command, problem, output }
  })
  return async () => {
    over.abort()
    return (await Promise.all(happened)).filter((event) => event !== undefined)
  }
}
