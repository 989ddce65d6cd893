import { cycleOf, type Edges } from './cycle.ts'
import type { RecordedTransaction, Stamp } from './transaction.ts'

/** The verdict on a history of transactions. */
export type Serializability =
  | { readonly serializable: true; readonly transactions: number }
  | {
      readonly serializable: false
      readonly reason: string
      /** Transactions that no order explains, each before the next one. */
      readonly transactions: readonly RecordedTransaction[]
    }

/**
 * Judge whether transactions are strictly serializable: whether there is an order in which each found what the ones before had left, and in
 * which a transaction that had ended comes before one that began later. As every write says what it replaced, the order of
 * the versions of a key is known, and so is every dependency (Adya, 1999); there is an order if they have no cycle. All keys are absent at first.
 *
 * Transactions of unknown outcome count if another one found what they left.
 */
export function judgeTransactions(history: readonly RecordedTransaction[]): Serializability {
  const versions = new Versions(history)
  if (versions.fault !== undefined) return versions.fault
  const known = versions.transactions
  const edges: Edges = known.map(() => [])
  for (const [at, { reads, writes }] of known.entries())
    for (const [key, stamp] of reads) {
      const writer = versions.writerOf(key, stamp)
      if (writer !== undefined && writer !== at) edges[writer]?.push(at)
      const next = versions.overwriterOf(key, stamp)
      if (next !== undefined && next !== at && !(writes.has(key) && next === at)) edges[at]?.push(next)
    }
  addTimes(known, edges)
  const cycle = cycleOf(edges)
  if (cycle === undefined) return { serializable: true, transactions: known.length }
  const transactions = cycle.flatMap((at) => known[at] ?? [])
  return { serializable: false, reason: 'each of these must come before the next one', transactions }
}

/** The writer of each version, and the transaction that replaced it. */
class Versions {
  readonly transactions: readonly RecordedTransaction[]
  readonly fault: (Serializability & { readonly serializable: false }) | undefined
  readonly #writers = new Map<string, number>()
  readonly #overwriters = new Map<string, number>()

  constructor(history: readonly RecordedTransaction[]) {
    this.transactions = effective(history)
    for (const [at, { reads, writes }] of this.transactions.entries())
      for (const [key, stamp] of writes) {
        this.#writers.set(nameOf(key, stamp), at)
        const replaced = nameOf(key, reads.get(key))
        const other = this.#overwriters.get(replaced)
        if (other !== undefined) this.fault ??= this.#failed('both replaced the same version', [other, at])
        this.#overwriters.set(replaced, at)
      }
    for (const [at, { reads }] of this.transactions.entries())
      for (const [key, stamp] of reads)
        if (stamp !== undefined && this.writerOf(key, stamp) === undefined)
          this.fault ??= this.#failed(`it found a value of ${key} that no transaction left`, [at])
  }

  writerOf(key: string, stamp: Stamp | undefined): number | undefined {
    return stamp === undefined ? undefined : this.#writers.get(nameOf(key, stamp))
  }

  overwriterOf(key: string, stamp: Stamp | undefined): number | undefined {
    return this.#overwriters.get(nameOf(key, stamp))
  }

  #failed(reason: string, at: readonly number[]): Serializability & { readonly serializable: false } {
    return {
      serializable: false,
      reason,
      transactions: at.flatMap((index) => this.transactions[index] ?? []),
    }
  }
}

/** Those that took effect: the committed ones, and unknown ones that left something which another of them found. */
function effective(history: readonly RecordedTransaction[]): readonly RecordedTransaction[] {
  const writers = new Map<string, RecordedTransaction>()
  for (const one of history) for (const [key, stamp] of one.writes) writers.set(nameOf(key, stamp), one)
  const chosen = new Set<RecordedTransaction>()
  const open = history.filter(({ result }) => result === 'committed')
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    if (chosen.has(one)) continue
    chosen.add(one)
    for (const [key, stamp] of one.reads) {
      const writer = writers.get(nameOf(key, stamp))
      if (writer !== undefined && !chosen.has(writer)) open.push(writer)
    }
  }
  return history.filter((one) => chosen.has(one))
}

/** A transaction that had ended comes before those that began later; a chain of ends keeps the edges few. */
function addTimes(transactions: readonly RecordedTransaction[], edges: Edges): void {
  const ends = transactions
    .map(({ returnedAt, result }, at) => ({
      at,
      time: result === 'committed' ? returnedAt : Number.POSITIVE_INFINITY,
    }))
    .filter(({ time }) => time < Number.POSITIVE_INFINITY)
    .sort((a, b) => a.time - b.time)
  const first = edges.length
  for (const [index, { at }] of ends.entries()) {
    edges[at]?.push(first + index)
    edges.push(index + 1 < ends.length ? [first + index + 1] : [])
  }
  const begins = transactions
    .map(({ calledAt }, at) => ({ at, calledAt }))
    .sort((a, b) => a.calledAt - b.calledAt)
  let ended = 0
  for (const { at, calledAt } of begins) {
    while (ended < ends.length && (ends[ended]?.time as number) < calledAt) ended++
    if (ended > 0) edges[first + ended - 1]?.push(at)
  }
}

function nameOf(key: string, stamp: Stamp | undefined): string {
  return stamp === undefined ? `${key}\n` : `${key}\n=${stamp}`
}
