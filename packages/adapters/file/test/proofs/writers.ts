import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { StoreError } from '@unikv/core'
import type { Operation } from './history.ts'
import type { Ledger } from './ledger.ts'

/** A writing process, and the ledger that it tells. */
export class Writer {
  readonly #process: ChildProcess
  readonly #operations = new Map<string, Operation>()
  readonly #over: Promise<unknown>
  #ledger: Ledger
  #told: () => void = () => {}
  #isPaused = false

  constructor(script: string, parameters: readonly string[], ledger: Ledger) {
    this.#ledger = ledger
    this.#process = spawn(process.execPath, [script, ...parameters], {
      stdio: ['pipe', 'inherit', 'inherit', 'pipe'],
    })
    const lines = createInterface({ input: this.#process.stdio[3] as Readable })
    lines.on('line', (line) => this.#read(line))
    this.#over = Promise.all([once(lines, 'close'), once(this.#process, 'exit')])
  }

  /** The next thing that it tells, whatever it is. */
  async tells(): Promise<void> {
    await Promise.race([new Promise<void>((resolve) => (this.#told = resolve)), this.#over])
  }

  /** Kill it; resolves when all that it told has been read. */
  async kill(): Promise<void> {
    this.#process.kill('SIGKILL')
    await this.#over
  }

  /** Have it stop between two writes. */
  async pause(): Promise<void> {
    this.#process.stdin?.write('pause\n')
    while (!this.#isPaused && this.#process.exitCode === null) await this.tells()
  }

  /** Have it go on, telling another ledger. */
  goOn(ledger: Ledger): void {
    this.#ledger = ledger
    this.#operations.clear()
    this.#isPaused = false
    this.#process.stdin?.write('go on\n')
  }

  #read(line: string): void {
    // The last line of a killed process may be cut short: then it was not told.
    if (!line.endsWith(']')) return
    const [what, told] = JSON.parse(line) as [string, never]
    if (what === 'paused') this.#isPaused = true
    else if (what === 'began') this.#begin(told)
    else if (what === 'ended') this.#end(told)
    else if (what === 'counts') this.#ledger.counts(told)
    else if (what === 'counted') this.#ledger.counted(told)
    else this.#ledger.failed(new StoreError('UNAVAILABLE', told))
    this.#told()
  }

  #begin(told: Operation): void {
    const operation = { ...told, endedAt: Number.POSITIVE_INFINITY }
    this.#operations.set(operation.version, operation)
    this.#ledger.began(operation)
  }

  #end({ version, endedAt, refused }: Operation): void {
    const operation = this.#operations.get(version)
    if (operation === undefined) return
    this.#operations.delete(version)
    operation.endedAt = endedAt
    if (refused !== undefined) operation.refused = refused
    this.#ledger.ended(operation)
  }
}
