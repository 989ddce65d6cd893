import { AbortController } from '@unikv/core/platform'
import type { Terminal } from '../terminal.ts'

/** A terminal, and the signal of its Ctrl-C. */
export interface Interruptible {
  readonly terminal: Terminal
  readonly signal: AbortSignal
}

/** One signal for all jobs. The terminal also tells those who ask when Ctrl-C was pressed already: a job that begins then ends at once. */
export function interruptible(terminal: Terminal): Interruptible {
  const abort = new AbortController()
  const { signal } = abort
  // Not as listeners of the signal: a suite has many jobs, and Node.js takes many listeners for a leak.
  const asked: (() => void)[] = []
  terminal.onInterrupt(() => {
    abort.abort()
    for (const interrupted of asked.splice(0)) interrupted()
  })
  const onInterrupt = (interrupted: () => void): void => {
    if (signal.aborted) interrupted()
    else asked.push(interrupted)
  }
  return { terminal: { ...terminal, onInterrupt }, signal }
}
