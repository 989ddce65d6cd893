import { execFileSync } from 'node:child_process'
import { availableParallelism } from 'node:os'

/**
 * On Linux a server and its clients get a core each: where the scheduler puts two processes that wake each other decides
 * about the latency of a call, by a factor of two and for seconds.
 */
const canPin = process.platform === 'linux' && availableParallelism() > 1 && hasTaskset()

/** Keep this process, and the server that it starts from now on, to the first core. */
export function keepServersToOneCore(): void {
  if (canPin) taskset('-cp', '0', String(process.pid))
}

/** How Node is started for a client: its program, and what comes before the module. */
export function clientCommand(sharesCores: boolean): {
  readonly execPath: string
  readonly execArgv: string[]
} {
  const execArgv = ['--expose-gc']
  if (!canPin) return { execPath: process.execPath, execArgv }
  const cores = sharesCores ? `0-${availableParallelism() - 1}` : '1'
  return { execPath: 'taskset', execArgv: ['-c', cores, process.execPath, ...execArgv] }
}

function hasTaskset(): boolean {
  try {
    taskset('--version')
    return true
  } catch {
    return false
  }
}

function taskset(...args: string[]): void {
  execFileSync('taskset', args, { stdio: 'ignore' })
}
