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
  terminal.onInterrupt(() => abort.abort())
  const onInterrupt = (interrupted: () => void): void => {
    if (signal.aborted) interrupted()
    else signal.addEventListener('abort', interrupted, { once: true })
  }
  return { terminal: { ...terminal, onInterrupt }, signal }
}
