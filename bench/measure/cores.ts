import { execFileSync } from 'node:child_process'
import { availableParallelism } from 'node:os'

/**
 * Keep this process, and the server that it starts from now on, to the first core (on Linux). Where the scheduler puts two
 * processes that wake each other decides about the latency of a call, by a factor of two and for seconds.
 */
export function keepServersToOneCore(): void {
  if (process.platform !== 'linux' || availableParallelism() === 1) return
  try {
    execFileSync('taskset', ['-cp', '0', String(process.pid)], { stdio: 'ignore' })
  } catch {
    // There is no taskset: the scheduler decides.
  }
}
