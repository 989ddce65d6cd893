import { spawn } from 'node:child_process'
import { StoreError } from '@unikv/core'
import { pause, performance } from '@unikv/core/platform'
import type { Disturbance } from './config.ts'
import type { Condition } from './plan.ts'

/** A command that was run, and its output. */
export interface CommandRun {
  readonly kind: 'disturb' | 'undo'
  readonly elapsedMs: number
  /** The end of its output, both streams together. */
  readonly output: string
}

const longestMs = 120_000
const longestOutput = 2_000

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
    const startedAt = performance.now()
    const { problem, output } = await shell(command, signal)
    signal?.throwIfAborted()
    const printed = output.trim()
    if (problem === undefined) return { kind, elapsedMs: performance.now() - startedAt, output: printed }
    const told = printed === '' ? 'It printed nothing.' : `It printed: ${printed}`
    throw new StoreError('UNAVAILABLE', `The command of --${kind} ${problem}: ${command}. ${told}`)
  }
}

interface Ended {
  /** Why it counts as failed. */
  readonly problem: string | undefined
  readonly output: string
}

/** Waits until the command itself ends: processes that it starts in the background may go on. */
function shell(command: string, signal: AbortSignal | undefined): Promise<Ended> {
  const child = spawn(command, {
    shell: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: longestMs,
    signal,
  })
  let output = ''
  const keep = (text: Buffer): void => {
    output = (output + text.toString()).slice(-longestOutput)
  }
  child.stdout.on('data', keep)
  child.stderr.on('data', keep)
  return new Promise((resolve) => {
    child.on('error', ({ message }) => resolve({ problem: `could not be run (${message})`, output }))
    child.on('exit', (code, killedBy) => {
      // Output that is on its way arrives in the turns after the end.
      void pause(50).then(() => {
        child.stdout.destroy()
        child.stderr.destroy()
        resolve({ problem: problemOf(code, killedBy), output })
      })
    })
  })
}

function problemOf(code: number | null, killedBy: string | null): string | undefined {
  if (code === 0) return undefined
  if (killedBy !== null) return `was ended by ${killedBy} (it may take ${longestMs / 60_000} minutes)`
  return `failed with exit code ${code}`
}
