import { type ChildProcess, spawn } from 'node:child_process'
import { clearTimeout, pause, performance, setTimeout } from '@unikv/core/platform'

/** How a command is run. */
export interface CommandOptions {
  /** It goes to the standard input of the command as JSON. @default standard input is closed */
  readonly input?: unknown
  readonly signal?: AbortSignal | undefined
}

/** A command that has ended. */
export interface EndedCommand {
  /** Why it counts as failed; `undefined`: it did not. */
  readonly problem: string | undefined
  /** The end of its output, both streams together. */
  readonly output: string
  readonly elapsedMs: number
}

const longestMs = 120_000
const longestOutput = 2_000

/**
 * Run a command in a shell. It waits until the command itself ends: processes that it starts in the background may go on. A command has a
 * process group of its own, so Ctrl-C in a terminal does not end it, and one that is given up ends with the processes that it waits for.
 */
export function runCommand(command: string, { input, signal }: CommandOptions = {}): Promise<EndedCommand> {
  const startedAt = performance.now()
  const child = spawn(command, { shell: true, stdio: ['pipe', 'pipe', 'pipe'], detached: true })
  const giveUp = (): void => endGroup(child)
  const timer = setTimeout(giveUp, longestMs)
  signal?.addEventListener('abort', giveUp, { once: true })
  if (signal?.aborted === true) giveUp()
  let output = ''
  const keep = (text: Buffer): void => {
    output = (output + text.toString()).slice(-longestOutput)
  }
  child.stdout.on('data', keep)
  child.stderr.on('data', keep)
  child.stdin.on('error', () => {}) // a command need not read it
  child.stdin.end(input === undefined ? '' : JSON.stringify(input))
  const ended = new Promise<EndedCommand>((resolve) => {
    const end = (problem: string | undefined): void =>
      resolve({ problem, output: output.trim(), elapsedMs: performance.now() - startedAt })
    child.on('error', ({ message }) => end(`could not be run (${message})`))
    child.on('exit', (code, killedBy) => {
      // Output that is on its way arrives in the turns after the end.
      void pause(50).then(() => {
        child.stdout.destroy()
        child.stderr.destroy()
        end(problemOf(code, killedBy))
      })
    })
  })
  return ended.finally(() => {
    clearTimeout(timer)
    signal?.removeEventListener('abort', giveUp)
  })
}

/** A process that could not be started has no group, and Windows knows none. */
function endGroup(child: ChildProcess): void {
  try {
    process.kill(-(child.pid as number), 'SIGTERM')
  } catch {
    child.kill()
  }
}

function problemOf(code: number | null, killedBy: string | null): string | undefined {
  if (code === 0) return undefined
  if (killedBy !== null) return `was ended by ${killedBy} (it may take ${longestMs / 60_000} minutes)`
  return `failed with exit code ${code}`
}
