import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'

/** A process that runs `writeLanes`, and what it told. */
export class Writer {
  readonly #process: ChildProcess
  readonly #over: Promise<unknown>
  #told: () => void = () => {}
  /** The last batch of each lane that was begun, and the last that was acknowledged. */
  readonly begun = new Map<string, number>()
  readonly acknowledged = new Map<string, number>()
  acknowledgements = 0
  failures = 0

  constructor(script: string, path: string, lanes: readonly string[]) {
    this.#process = spawn(process.execPath, [script, path, ...lanes], {
      stdio: ['pipe', 'inherit', 'inherit', 'pipe'],
    })
    const lines = createInterface({ input: this.#process.stdio[3] as Readable })
    lines.on('line', (line) => this.#read(line))
    this.#over = Promise.all([once(lines, 'close'), once(this.#process, 'exit')])
  }

  /** The next thing that it tells. */
  async tells(): Promise<void> {
    await Promise.race([new Promise<void>((resolve) => (this.#told = resolve)), this.#over])
  }

  /** Kill it; resolves when all that it told has been read. */
  async kill(): Promise<void> {
    this.#process.kill('SIGKILL')
    await this.#over
  }

  /** Have it end by itself; its exit code, or the signal that ended it. */
  async end(): Promise<number | NodeJS.Signals | null> {
    this.#process.stdin?.end()
    await this.#over
    return this.#process.exitCode ?? this.#process.signalCode
  }

  #read(line: string): void {
    // The last line of a killed process may be cut short: then it was not told.
    if (!line.endsWith(']')) return
    const [what, lane, n] = JSON.parse(line) as ['began' | 'ended' | 'failed', string, number]
    if (what === 'began') this.begun.set(lane, n)
    else if (what === 'failed') this.failures++
    else {
      this.acknowledged.set(lane, n)
      this.acknowledgements++
    }
    this.#told()
  }
}
