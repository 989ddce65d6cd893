import { Call, ms, type OptionsOf, readCall } from '@unikv/core/adapter'
import { pause } from '@unikv/core/platform'
import type { Ending, Log } from '../log/log.ts'
import { checkedEntry, isFinished, type LogRecord } from '../log/record.ts'

const table = {
  /** Leave out transactions that are finished within this time, in milliseconds: what stays was left by its process. @default 0 */
  leaseMs: ms(0, { least: 0 }),
  /** Deadline of the whole, in milliseconds. @default 60,000 */
  timeoutMs: ms(60_000),
}

/** Options of `pending`. */
export interface PendingOptions extends OptionsOf<typeof table> {}

/** A transaction that is not finished. */
export interface PendingTransaction extends LogRecord {
  readonly id: string
}

/** The transactions of a log. */
export interface Pending {
  /** Those that are not finished, the earliest first. */
  readonly transactions: readonly PendingTransaction[]
  /** How many were finished in the last day. */
  readonly finished: number
}

/** The transactions of a log that are not finished. With a lease those that no process goes on with. */
export async function pending(log: Log, options: PendingOptions): Promise<Pending> {
  const { leaseMs, timeoutMs } = readCall('pending', table, options)
  const call = new Call(timeoutMs)
  const first = await listed(log, timeoutMs)
  if (first.transactions.length === 0 || leaseMs === 0) return first
  await pause(leaseMs)
  const left: PendingTransaction[] = []
  for (const { id } of first.transactions) left.push(...(await unfinished(log, id, call)))
  return { transactions: left, finished: first.finished + first.transactions.length - left.length }
}

async function listed(log: Log, timeoutMs: number): Promise<Pending> {
  const { store } = log
  const transactions: PendingTransaction[] = []
  let finished = 0
  for await (const [id, entry] of store.entries({ timeoutMs })) {
    if (isFinished(checkedEntry(entry, store.name))) finished++
    else transactions.push({ id, ...entry.value })
  }
  transactions.sort((a, b) => (a.since < b.since ? -1 : 1))
  return { transactions, finished }
}

async function unfinished(log: Log, id: string, call: Ending): Promise<readonly PendingTransaction[]> {
  const entry = await log.entry(id, call)
  return entry === undefined || isFinished(entry) ? [] : [{ id, ...entry.value }]
}
