import type { Entry } from '@unikv/core'
import { StoreError } from '@unikv/core/adapter'
import { isPlainObject, wallClock } from '@unikv/core/platform'

/** The fate of a transaction. */
export type Fate = 'committed' | 'aborted'

/** A transaction as its log tells of it: plain JSON. */
export interface LogRecord {
  readonly state: 'open' | Fate
  /** Host and process that began it. */
  readonly by: string
  /** When it began to commit, by the clock of that host: for people. */
  readonly since: string
  /** Its records: canonical keys by the name of their store. */
  readonly records: Readonly<Record<string, readonly string[]>>
  /** When no record waited for it any more, in a log whose records have no expiry. */
  readonly finishedAt?: string
}

/** How long an outcome can be asked for after its transaction is finished, in milliseconds. */
export const outcomeMs: number = 24 * 60 * 60 * 1000

const states: readonly unknown[] = ['open', 'committed', 'aborted']

/**
 * The entry of a log, checked.
 *
 * @throws {StoreError} `CORRUPT` if another program has written it: the store is not a log, or not only one
 */
export function checkedEntry(entry: Entry<LogRecord>, log: string): Entry<LogRecord> {
  const { state, by, since, records } = Object(entry.value) as Partial<LogRecord>
  const isRecord = states.includes(state) && [by, since].every((text) => typeof text === 'string')
  if (isRecord && isPlainObject(records)) return entry
  const message = `${log} has a record that is not of a transaction. It is not a log of transactions, or another program writes into it.`
  throw new StoreError('CORRUPT', message, { store: log })
}

/** Whether no record waits for the transaction: the log may forget it later. */
export function isFinished({ value, expiresAt }: Entry<LogRecord>): boolean {
  return expiresAt !== undefined || value.finishedAt !== undefined
}

/**
 * Whether a transaction was finished a day ago. The clocks of two hosts are compared for this alone: nothing waits for it, so what is
 * forgotten too early is only an outcome.
 */
export function isOld({ value: { finishedAt } }: Entry<LogRecord>): boolean {
  return finishedAt !== undefined && wallClock() - Date.parse(finishedAt) > outcomeMs
}
