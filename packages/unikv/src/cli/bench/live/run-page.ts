import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { StoreError } from '@unikv/core'
import type { Terminal } from '../../terminal.ts'

/** Sent by the process of a page to the one that measures. */
export interface ShownAt {
  readonly url: string
}

/** A page that shows a run, served by a process of its own: measuring and showing do not wait for each other. */
export class RunPage {
  readonly #child: ChildProcess
  readonly #terminal: Terminal

  private constructor(child: ChildProcess, terminal: Terminal) {
    this.#child = child
    this.#terminal = terminal
  }

  /**
   * Show what goes on in a folder, and say where.
   *
   * @throws {StoreError} `INVALID_ARGUMENT` if the port cannot be had
   */
  static async open(folder: string, port: number | undefined, terminal: Terminal): Promise<RunPage> {
    const program = fileURLToPath(new URL('../../../../bin/unikv.js', import.meta.url))
    const place = port === undefined ? [] : ['--port', String(port)]
    const child = fork(program, ['dashboard', '--of-run', ...place, folder], {
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      execArgv: [],
    })
    let told = ''
    child.stderr?.on('data', (text: Buffer) => (told += text.toString()))
    const url = await new Promise<string | undefined>((resolve) => {
      child.once('message', (shown: ShownAt) => resolve(shown.url))
      child.once('close', () => resolve(undefined))
    })
    if (url === undefined)
      throw new StoreError(
        'INVALID_ARGUMENT',
        told.replace(/^unikv: /, '').trim() || 'The page of the run did not start.',
      )
    terminal.error(`The run is shown at ${url}\n`)
    return new RunPage(child, terminal)
  }

  /** The run is over: wait for readers who still look at its report. */
  async left(): Promise<void> {
    if (this.#child.exitCode !== null || !this.#child.connected) return
    const closed = once(this.#child, 'close')
    this.#terminal.onInterrupt(() => this.#child.disconnect())
    this.#child.once('message', () =>
      this.#terminal.error(
        'The report is on the page. The command ends when you close the page, or by Ctrl-C.\n',
      ),
    )
    this.#child.send('ended')
    await closed
  }
}
