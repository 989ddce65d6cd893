import { StoreError } from '@unikv/core'
import type { Pending, PendingTransaction, Recovered } from '@unikv/transaction'
import { type Section, sectionsText } from '../columns.ts'
import { keyText } from '../copy/key-text.ts'
import { reading } from '../data/there.ts'
import { exitCodes } from '../exit-code.ts'
import { printable } from '../printable.ts'
import type { Terminal } from '../terminal.ts'
import { type LogOptions, type OpenedLog, openedLogs } from './logs.ts'

/** Options of `unikv check --transactions`. */
export interface TransactionsOptions extends LogOptions {
  readonly finish?: true
  readonly walk?: true
  /** How long a transaction may go on, in seconds. */
  readonly lease: number
  readonly keys?: true
  readonly timeout: number
  readonly json?: true
}

/** One log, and what was found and done. */
interface CheckedLog extends Pending {
  readonly log: string
  readonly recovered?: Recovered
}

/**
 * Print the transactions that no process goes on with, and finish them if that is asked for. Returns the exit code: a failure if some are
 * left, or if a log is empty, as it may be the wrong store.
 */
export async function checkTransactions(options: TransactionsOptions, terminal: Terminal): Promise<number> {
  const checked = await reading(async () => {
    const { logs, close } = await openedLogs(options)
    try {
      const found: CheckedLog[] = []
      for (const one of logs) found.push(await checkedLog(one, options))
      return found
    } finally {
      await close()
    }
  })
  const { out, width } = terminal
  const isPlain = options.keys === true
  if (options.json === true)
    out(`${JSON.stringify({ logs: checked.map((one) => dataOf(one, isPlain)) }, null, 2)}\n`)
  else
    out(
      sectionsText(
        checked.flatMap((one) => sectionsOf(one, isPlain, width)),
        width,
      ),
    )
  return checked.every(isRight) ? exitCodes.ok : exitCodes.failure
}

async function checkedLog({ name, db }: OpenedLog, options: TransactionsOptions): Promise<CheckedLog> {
  const leaseMs = options.lease * 1000
  const timeoutMs = options.timeout * 1000
  if (options.finish !== true) return { log: name, ...(await db.pending({ leaseMs, timeoutMs })) }
  const before = await db.pending({ timeoutMs })
  const recovered = await db.recover({ leaseMs, timeoutMs, walk: options.walk })
  const transactions: PendingTransaction[] = []
  for (const one of before.transactions)
    transactions.push({ ...one, state: (await db.outcome(one.id)) ?? one.state })
  return { log: name, ...before, transactions, recovered }
}

function isEmpty({ transactions, finished }: CheckedLog): boolean {
  return transactions.length + finished === 0
}

function isRight(one: CheckedLog): boolean {
  if (isEmpty(one)) return false
  return one.recovered === undefined ? one.transactions.length === 0 : one.recovered.left.length === 0
}

function dataOf({ transactions, ...log }: CheckedLog, isPlain: boolean): object {
  const shown = transactions.map(({ records, ...one }) => ({
    ...one,
    records: isPlain ? records : countsOf(records),
  }))
  return { ...log, isEmpty: isEmpty({ ...log, transactions }), transactions: shown }
}

function sectionsOf(one: CheckedLog, isPlain: boolean, width: number | undefined): readonly Section[] {
  const { log, transactions, finished, recovered } = one
  if (isEmpty(one))
    return [
      `${log}: the log is empty. No transaction of several records was finished in the last day, or this is not its log.`,
    ]
  const head = `${log}: ${countText(finished, 'transaction was', 'transactions were')} finished in the last day${transactions.length === 0 ? '.' : ','}`
  const [verb, count] = [
    recovered === undefined ? 'left unfinished' : 'found unfinished',
    transactions.length,
  ]
  return [
    count === 0 ? head : `${head} and ${countText(count, 'was', 'were')} ${verb}.`,
    ...(count === 0 ? [] : [tableOf(transactions, recovered, width)]),
    ...(isPlain ? keyLines(transactions, width) : []),
    ...(recovered === undefined ? [] : doneText(recovered, width)),
  ]
}

function tableOf(
  transactions: readonly PendingTransaction[],
  recovered: Recovered | undefined,
  width: number | undefined,
): Section {
  const head = ['transaction', recovered === undefined ? 'state' : 'now', 'since (UTC)', 'by', 'records']
  const rows = transactions.map(({ id, state, since, by, records }) => [
    printable(id, width, 'key'),
    state,
    since.slice(5, 16).replace('T', ' '),
    printable(shortened(by), width, 'key'),
    Object.entries(countsOf(records))
      .map(([store, count]) => `${printable(store, width, 'key')}: ${count}`)
      .join(', '),
  ])
  return { head, rows }
}

/** Host and process, in the width of a column. */
function shortened(by: string): string {
  const [host = '', ...rest] = by.split(' ')
  return [host.replace(/\..*/s, '').slice(0, 14), ...rest].join(' ')
}

function keyLines(transactions: readonly PendingTransaction[], width: number | undefined): readonly string[] {
  const lines = transactions.flatMap(({ id, records }) => [
    `${id}:`,
    ...Object.entries(records).flatMap(([store, keys]) =>
      keys.map((key) => printable(` · ${store} ${keyText(key)}`, width, 'key')),
    ),
  ])
  return lines.length === 0 ? [] : [lines.join('\n')]
}

function doneText(recovered: Recovered, width: number | undefined): readonly Section[] {
  const { committed, aborted, forgotten, left } = recovered
  const old = forgotten === 0 ? '' : ` ${countText(forgotten, 'old one was', 'old ones were')} removed.`
  const done = `${committed + aborted} finished: ${committed} committed, ${aborted} aborted.${old}`
  if (left.length === 0) return [done]
  const rows = left.map(({ id, why }) => [printable(id, width, 'key'), printable(why, width)])
  return [`${done} ${left.length} left:`, { head: ['transaction', 'why'], rows }]
}

function countsOf(records: PendingTransaction['records']): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.entries(records).map(([store, keys]) => [store, keys.length]))
}

function countText(count: number, one: string, many: string): string {
  return `${count.toLocaleString('en-US')} ${count === 1 ? one : many}`
}

/** Refuse options that belong to `--transactions` alone. */
export function refuseWithout({
  transactions,
  finish,
  walk,
  keys,
  log,
  store,
}: Partial<TransactionsOptions> & {
  readonly transactions?: true
}): void {
  const [first] =
    Object.entries({ finish, walk, keys, log, store }).find(([, value]) => value !== undefined) ?? []
  if (transactions !== true && first !== undefined)
    throw new StoreError('INVALID_ARGUMENT', `--${first} belongs to --transactions.`)
  if (walk === true && finish !== true)
    throw new StoreError('INVALID_ARGUMENT', '--walk finishes what it finds: write --finish, too.')
}
