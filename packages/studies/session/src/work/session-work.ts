import { populate, runSessions, type SessionSample } from '@unikv/session'
import type { StudyContext } from '@unikv/workload'
import { seriesInterval } from '@unikv/workload/loop'
import type { OpenedAccess } from '../access/opened.ts'
import type { SessionConfig } from '../config.ts'
import type { Work } from './work.ts'

/** Sessions of a benchmark. */
export class SessionWork implements Work {
  readonly #context: StudyContext<SessionConfig>
  readonly #store: string
  readonly #access: OpenedAccess

  constructor(context: StudyContext<SessionConfig>, store: string, access: OpenedAccess) {
    this.#context = context
    this.#store = store
    this.#access = access
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

  drive(run: number, durationMs: number): Promise<SessionSample> {
    const { config, signal, report } = this.#context
    const { db, benchmark } = this.#access
    const { model, sessions, callers, seed } = config
    return runSessions({
      benchmark,
      model,
      db,
      sessions,
      callers,
      durationMs,
      signal,
      seed: seed + run,
      statistics: () => this.#access.statistics(),
      onInterval: (one) =>
        report({ type: 'interval', target: this.#store, run, interval: seriesInterval(one) }),
    })
  }

  async check(): Promise<readonly string[] | null> {
    return (await this.#access.check?.()) ?? null
  }

  drop(): Promise<void> {
    return this.#access.drop()
  }
}
