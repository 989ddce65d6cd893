import { parentPort, workerData } from 'node:worker_threads'
import { isBytes } from '@unikv/core/platform'
import { isPage, type Job, type Outcome } from '../jobs.ts'
import type { FileSettings } from '../options.ts'
import { Engine } from './engine.ts'
import { toPlain } from './plain.ts'

// Runs in each worker thread: does the jobs of a message, and answers with one.

const port = parentPort as NonNullable<typeof parentPort>
const engine = new Engine(workerData as FileSettings)
// Jobs that come from now on may have been done if this thread ends.
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
  const holders: readonly unknown[] = isPage(answer) ? answer.entries.map(({ entry }) => entry) : answer
  return holders.flatMap(valuesIn).flatMap((value) => {
    return isBytes(value) && value.length >= minTransferBytes ? [value.buffer as ArrayBuffer] : []
  })
}

/** Values of a result, or of an answer about groups. */
function valuesIn(holder: unknown): readonly unknown[] {
  if (Array.isArray(holder)) return holder.flatMap((one) => (isBytes(one) ? [one] : valuesIn(one)))
  const { value, values, entries } = Object(holder) as { readonly [name: string]: unknown }
  return [value, ...[values, entries].flatMap((all) => (all === undefined ? [] : valuesIn(all)))]
}
