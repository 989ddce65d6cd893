import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { type Bytes, type KeyValue, type Store, StoreError } from '@unikv/core'
import { AbortController } from '@unikv/core/platform'
import { Clients, partOfPlan } from '../clients.ts'
import type { ProgramModule } from '../crew.ts'
import type { Driver } from '../driver.ts'
import { localDriver } from '../local-driver.ts'
import { isShared, keysIn, openBy, reopening } from '../opened.ts'
import { errorOf, type Order, type Report, type ThreadData, toldError } from './messages.ts'

// One of several threads that drive a store: it opens the store, then does what it is told, one order at a time.

const port = parentPort as MessagePort
const data = workerData as ThreadData
let abort = new AbortController()
let begin: (() => void) | undefined
let pending:
  | { resolve(objects: readonly Bytes[]): void; reject(error: Error): void; size: number }
  | undefined

function tell(report: Report): void {
  port.postMessage(report)
}

/** Ask the first thread for the objects of values: it has the data. */
function objects(size: number, count: number): Promise<readonly Bytes[]> {
  tell({ type: 'objects', size, count })
  return new Promise((resolve, reject) => {
    pending = { resolve, reject, size }
  })
}

function ready(): Promise<void> {
  tell({ type: 'ready' })
  return new Promise((resolve) => {
    begin = resolve
    if (abort.signal.aborted) resolve()
  })
}

function cut(bytes: Uint8Array, size: number): Bytes[] {
  return Array.from({ length: bytes.length / size }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  )
}

async function answer(work: () => Promise<unknown>): Promise<void> {
  abort = new AbortController()
  try {
    tell({ type: 'done', answer: await work() })
  } catch (error) {
    tell({ type: 'failed', error: toldError(error) })
  }
}

function obey(order: Order, driver: Driver, { store }: OpenedStore): void {
  switch (order.type) {
    case 'load':
      return void answer(() =>
        driver.load(order.part, {
          signal: abort.signal,
          onProgress: (records) => tell({ type: 'progress', records }),
        }),
      )
    case 'connect':
      return void answer(async () => driver.connect?.(order.callers))
    case 'drive':
      return void answer(() =>
        driver.drive(order.request, {
          signal: abort.signal,
          start: ready,
          onInterval: (interval) => tell({ type: 'interval', interval }),
        }),
      )
    case 'start':
      return begin?.()
    case 'abort':
      abort.abort()
      begin?.()
      return
    case 'objects':
      return pending?.resolve(cut(order.bytes, pending.size))
    case 'no-objects':
      return pending?.reject(errorOf(order.error))
    case 'close':
      return void answer(async () => {
        await driver.close()
        await store.close()
      }).finally(() => port.close())
  }
}

async function driverOf({ store, keys }: OpenedStore): Promise<Driver> {
  const { records, seed, share, timeoutMs, program } = data
  if (program === undefined) {
    const { plan, opener, namespace } = data
    const again = reopening(opener, share)
    const clients = await Clients.open({ ...partOfPlan(plan, share), store, again, namespace, timeoutMs })
    return localDriver({ keys, clients, records, seed, share, timeoutMs, data: { objects } })
  }
  const { programDriver } = (await import(program.module)) as ProgramModule
  return programDriver({ store, keys, share, options: program.options })
}

await answer(async () => {
  const found = await opened(data)
  const driver = await driverOf(found)
  port.on('message', (order: Order) => obey(order, driver, found))
})

/** A store that a thread opened for itself. */
interface OpenedStore {
  readonly store: Store<Bytes>
  /** The namespace of the records. */
  readonly keys: KeyValue<string, Bytes>
}

/**
 * Open the store of a thread.
 *
 * @throws {StoreError} `UNSUPPORTED` if the records of other threads are not in it
 */
async function opened(given: ThreadData): Promise<OpenedStore> {
  const store = await openBy(given.opener)
  const keys = keysIn(store, given)
  if (await isShared(keys)) return { store, keys }
  await store.close()
  const message = `${store.name} keeps its records in the thread that opened it, so several threads cannot drive it. Use one thread, or a store that threads can share.`
  throw new StoreError('UNSUPPORTED', message)
}
