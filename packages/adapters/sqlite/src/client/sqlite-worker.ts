import { parentPort, workerData } from 'node:worker_threads'
import { isBytes } from '@unikv/core/platform'
import type { FileSettings } from '../options.ts'
import { Engine } from './engine.ts'
import { isPage, type Job, type Outcome } from './jobs.ts'
import { toPlain } from './plain.ts'

// Runs in each worker thread: does the jobs of a message, and answers with one.

const port = parentPort as NonNullable<typeof parentPort>
const engine = new Engine(workerData as FileSettings)
// What comes from now on may have been done if this thread ends.
port.postMessage('up')

/** Larger values are handed over instead of being copied. */
const minTransferBytes = 32_768

port.on('message', (message: { readonly jobs: readonly Job[]; readonly now: number } | 'close') => {
  if (message === 'close') {
    engine.close()
    port.close()
    return
  }
  const outcomes = engine.run(message.jobs, message.now)
  port.postMessage(toPlain(outcomes), outcomes.flatMap(largeBuffers))
})

function largeBuffers(outcome: Outcome): ArrayBuffer[] {
  if ('error' in outcome) return []
  const { answer } = outcome
  const holders = isPage(answer) ? answer.entries.map(({ entry }) => entry) : answer
  return holders.flatMap((holder) => {
    const value = (holder as { readonly value?: unknown } | undefined)?.value
    return isBytes(value) && value.length >= minTransferBytes ? [value.buffer as ArrayBuffer] : []
  })
}
