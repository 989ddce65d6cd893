import type { OperationSnapshot, ReadSnapshot, TransactionSnapshot, WriteSnapshot } from './snapshot.ts'

/** The figures of one operation, of whichever kind. */
export type AnyFigures = OperationSnapshot &
  Partial<ReadSnapshot> &
  Partial<WriteSnapshot> &
  Partial<TransactionSnapshot>

/** A sum: its description, and where it is. `undefined`: operations of this kind have none. */
type Sum = readonly [help: string, of: (figures: AnyFigures) => number | undefined]

/** Counts with a label of their own: their description, the label, and the counts by its value. */
type Labelled = readonly [
  help: string,
  label: string,
  of: (figures: AnyFigures) => Readonly<Record<string, number>>,
]

/** Sums of items and answers, by name. */
export const sums: Readonly<Record<string, Sum>> = {
  items: ['Items of the calls that were answered.', ({ items }) => items],
  cache_misses: ['Items of reads that the store itself answered.', ({ misses }) => misses],
  absent: ['Items of reads that are not there.', ({ absent }) => absent],
  stale: ['Items of reads older than was asked for.', ({ stale }) => stale],
  conditions_failed: [
    'Items of writes whose condition did not hold, and conflicts that transactions lost.',
    ({ conditionsFailed }) => conditionsFailed,
  ],
  late: ['Answers after the deadline of their caller.', ({ late }) => late],
  bytes: ['Bytes of values, where a traffic layer stands.', ({ bytes }) => bytes],
}

/** Counts with a label of their own, by name. */
export const labelled: Readonly<Record<string, Labelled>> = {
  calls: [
    'Calls that were answered, by promise or at once.',
    'answer',
    ({ awaited, atOnce }) => ({ awaited: awaited.count, at_once: atOnce.count }),
  ],
  errors: ['Items that failed, by code.', 'code', ({ errors }) => errors],
  transactions: ['Transactions by their end.', 'outcome', ({ outcomes = {} }) => outcomes],
  conflicts: [
    'Conflicts that transactions lost, by the store that had them.',
    'cause',
    ({ conflicts = {} }) => conflicts,
  ],
  cache_hits: ['Items of reads that a cache answered, by tier.', 'tier', ({ hits = {} }) => hits],
}

/** Description of the one measure that falls, too. */
export const underWayHelp = 'Calls without an answer yet.'
