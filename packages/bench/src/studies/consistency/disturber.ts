import { StoreError } from '@unikv/core'
import { runCommand } from '../../run/run-command.ts'
import type { Disturbance } from './config.ts'
import type { Condition } from './plan.ts'

/** A command that was run, and its output. */
export interface CommandRun {
  readonly kind: 'disturb' | 'undo'
  readonly elapsedMs: number
  /** The end of its output, both streams together. */
  readonly output: string
}

/** Runs the commands of a disturbance as the conditions change. */
export class Disturber {
  readonly #disturbance: Disturbance | null
  readonly #signal: AbortSignal
  #isDisturbed = false

  constructor(disturbance: Disturbance | null, signal: AbortSignal) {
    this.#disturbance = disturbance
    this.#signal = signal
  }

  /**
   * Bring about a condition.
   *
   * @returns the command that was run; `undefined`: all was as it should be
   * @throws {StoreError} `UNAVAILABLE` with the output of the command, if it failed
   */
  async bring(condition: Condition): Promise<CommandRun | undefined> {
    if (this.#isDisturbed === (condition === 'disturbed')) return undefined
    if (condition === 'calm') return this.undo()
    this.#isDisturbed = true // a command that failed may have done a part
    return this.#run('disturb', this.#signal)
  }

  /** Undo the disturbance. The signal does not end it: the servers should not stay disturbed. */
  async undo(): Promise<CommandRun | undefined> {
    if (!this.#isDisturbed) return undefined
    const run = await this.#run('undo', undefined)
    this.#isDisturbed = false
    return run
  }

  async #run(kind: CommandRun['kind'], signal: AbortSignal | undefined): Promise<CommandRun> {
    const { [kind]: command } = this.#disturbance as Disturbance
    const { problem, output, elapsedMs } = await runCommand(command, { signal })
    signal?.throwIfAborted()
    if (problem === undefined) return { kind, elapsedMs, output }
    const told = output === '' ? 'It printed nothing.' : `It printed: ${output}`
    throw new StoreError('UNAVAILABLE', `The command of --${kind} ${problem}: ${command}. ${told}`)
  }
}
