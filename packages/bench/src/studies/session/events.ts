import { AbortController, pause, performance } from '@unikv/core/platform'
import { runCommand } from '../../run/run-command.ts'
import type { JobEvent } from './config.ts'
import type { EventResult } from './result.ts'

/** Events of one run, which happen at their times while it goes on. */
export class Events {
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
