import { parseDuration } from '@unikv/bench/engine'
import { loadStudy } from '@unikv/bench/studies'
import { StoreError } from '@unikv/core'
import { open } from '@unikv/stores/lazy'
import { exitCodes } from '../exit-code.ts'
import type { Terminal } from '../terminal.ts'
import { openPlace } from './own-store.ts'
import { storesOf } from './places.ts'
import { queuePackage } from './queue.ts'
import type { WorkerCommandOptions } from './worker-command.ts'

/** Work for managers until the terminal is interrupted, or as long as the options say. Returns the exit code. */
export async function runWorker(options: WorkerCommandOptions, terminal: Terminal): Promise<number> {
  const { queue, store = [], name, once, idle } = options
  if (queue === undefined)
    throw new StoreError('INVALID_ARGUMENT', "required option '--queue <url>' not specified")
  const stores = store.length === 0 ? [] : storesOf(store)
  const idleMs = idle === undefined ? undefined : parseDuration(idle)
  // A file is loaded only if this worker was started with it, never because a job names it.
  const own = new Set(stores.map(({ url }) => url))
  const { startWorker } = await queuePackage()
  const { programDriver, programName } = await loadStudy('session')
  const worker = await startWorker({
    queue,
    open: (url, given) => (own.has(url) ? openPlace : open)(url, given),
    programs: new Map([[programName, { programDriver }]]),
    stores: new Map(stores.map((one) => [one.name, one.url])),
    name,
    once,
    idleMs,
    onNotice: (text) => terminal.error(`${text}\n`),
  })
  terminal.onInterrupt(() => worker.stop())
  return (await worker.ended) === 'left a run' ? exitCodes.interrupted : exitCodes.ok
}
