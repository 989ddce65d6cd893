import { type ChildProcess, spawn } from 'node:child_process'
import type { Readable } from 'node:stream'
import { clearTimeout, pause, performance, setTimeout } from '@unikv/core/platform'

/** How a command is run. */
export interface CommandOptions {
  /** It goes to the standard input of the command as JSON. @default standard input is closed */
  readonly input?: unknown
  readonly signal?: AbortSignal | undefined
  /** A command that takes longer is given up. @default 120_000 */
  readonly longestMs?: number | undefined
}

/** A command that has ended. */
export interface EndedCommand {
  /** Why it counts as failed; `undefined`: it did not. */
  readonly problem: string | undefined
  /** The end of its output, both streams together. */
  readonly output: string
  /** The end of its standard output alone. */
  readonly printed: string
  /** The first line of its standard error. */
  readonly complaint: string
  readonly elapsedMs: number
}

const usualMs = 120_000
const longestOutput = 2_000
const longestPrinted = 100_000
/** A command that is given up and does not end in this time is killed. */
const graceMs = 1_000

/**
 * Run a command in a shell. It waits until the command itself ends: processes that it starts in the background may go on. A command has a
 * process group of its own, so Ctrl-C in a terminal does not end it, and one that is given up ends with the processes that it waits for: it is asked to, and killed a second later.
 */
export function runCommand(
  command: string,
  { input, signal, longestMs = usualMs }: CommandOptions = {},
): Promise<EndedCommand> {
  const startedAt = performance.now()
  const child = spawn(command, { shell: true, stdio: ['pipe', 'pipe', 'pipe'], detached: true })
  const giveUp = (): void => {
    endGroup(child, 'SIGTERM')
    setTimeout(() => endGroup(child, 'SIGKILL'), graceMs).unref()
  }
  const timer = Number.isFinite(longestMs) ? setTimeout(giveUp, longestMs) : undefined
  signal?.addEventListener('abort', giveUp, { once: true })
  if (signal?.aborted === true) giveUp()
  const heard = new Heard(child.stdout, child.stderr)
  child.stdin.on('error', () => {}) // a command need not read it
  child.stdin.end(input === undefined ? '' : JSON.stringify(input))
  const ended = new Promise<EndedCommand>((resolve) => {
    const end = (problem: string | undefined): void =>
      resolve({ problem, ...heard.texts, elapsedMs: performance.now() - startedAt })
    child.on('error', ({ message }) => end(`could not be run (${message})`))
    child.on('exit', (code, killedBy) => {
      // Output that is on its way arrives in the turns after the end.
      void pause(50).then(() => {
        child.stdout.destroy()
        child.stderr.destroy()
        end(problemOf(code, killedBy, longestMs))
      })
    })
  })
  return ended.finally(() => {
    clearTimeout(timer)
    signal?.removeEventListener('abort', giveUp)
  })
}

/** The words of a command. */
class Heard {
  #output = ''
  #printed = ''
  #complaint = ''

  constructor(stdout: Readable, stderr: Readable) {
    stdout.setEncoding('utf8').on('data', (text: string) => {
      this.#output = (this.#output + text).slice(-longestOutput)
      this.#printed = (this.#printed + text).slice(-longestPrinted)
    })
    stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#output = (this.#output + text).slice(-longestOutput)
      this.#complaint = (this.#complaint + text).trimStart().slice(0, longestOutput)
    })
  }

  get texts(): Pick<EndedCommand, 'output' | 'printed' | 'complaint'> {
    const [complaint = ''] = this.#complaint.split('\n')
    return { output: this.#output.trim(), printed: this.#printed.trim(), complaint: complaint.trim() }
  }
}

/** A process that could not be started has no group, and Windows knows none. */
function endGroup(child: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): void {
  try {
    process.kill(-(child.pid as number), signal)
  } catch {
    child.kill(signal)
  }
}

function problemOf(code: number | null, killedBy: string | null, longestMs: number): string | undefined {
  if (code === 0) return undefined
  const limit = Number.isFinite(longestMs) ? ` (it may take ${longestMs / 60_000} minutes)` : ''
  if (killedBy !== null) return `was ended by ${killedBy}${limit}`
  return `failed with exit code ${code}`
}
