import { type Entry, isStoreError } from '@unikv/core'
import { flag, ms, type OptionsOf, readCall, within } from '@unikv/core/adapter'
import { monotonicClock } from '@unikv/core/platform'
import { Attempt, Step } from '../layer/step.ts'
import type { Ending, Log } from '../log/log.ts'
import { type Fate, isFinished, isOld, type LogRecord } from '../log/record.ts'
import type { Participant } from '../run/participant.ts'
import type { Databases } from '../sql/databases.ts'

const table = {
  /** How long a transaction may stay undecided while it is watched, in milliseconds; then it is aborted. @default 5,000 */
  leaseMs: ms(5_000),
  /**
   * Look at every record of all stores, too: a transaction whose process ended before its log had it is found only so, or by the next
   * reader of its records. @default false
   */
  walk: flag(false),
  /** Deadline of the whole, in milliseconds. @default 60,000 */
  timeoutMs: ms(60_000),
}

/** Options of `recover`. */
export interface RecoverOptions extends OptionsOf<typeof table> {}

/** How many transactions a recovery has met. */
export interface Recovered {
  /** Their records were written as they were committed. */
  readonly committed: number
  /** Their records were put back. */
  readonly aborted: number
  /** They were finished more than a day ago, and are removed from a log whose records have no expiry. */
  readonly forgotten: number
  /** Ids of those whose records could not all be reached, with the reason. */
  readonly left: readonly { readonly id: string; readonly why: string }[]
}

/** Abort what is open for longer than its lease, and write what was decided. Any number may do so at once. */
export async function recover(
  log: Log,
  participants: readonly Participant[],
  databases: Databases,
  options: RecoverOptions,
): Promise<Recovered> {
  const { leaseMs, walk, timeoutMs } = readCall('recover', table, options)
  const call = within(timeoutMs)
  const place = { log, participants, databases, leaseMs }
  const found = { committed: 0, aborted: 0, forgotten: 0, left: [] as { id: string; why: string }[] }
  const left = (id: string, error: unknown): void =>
    void found.left.push({ id, why: isStoreError(error) ? error.message : String(error) })
  const attempt = async (id: string, work: () => Promise<keyof Counts | undefined>): Promise<void> => {
    try {
      const done = await work()
      if (done !== undefined) found[done]++
    } catch (error) {
      left(id, error)
    }
  }
  const open: { readonly id: string; readonly metAt: number }[] = []
  for await (const id of log.store.keys({ timeoutMs }))
    await attempt(id, async () => {
      const entry = await log.entry(id, call)
      if (entry !== undefined && isFinished(entry)) return finishedOne(id, entry, place, call)
      if (entry !== undefined) open.push({ id, metAt: monotonicClock() })
      return undefined
    })
  // All are watched at once, each for its whole lease.
  for (const { id, metAt } of open) await attempt(id, () => recovered(id, metAt, place, call))
  await databases.finishLeft(call, { done: (fate) => void found[fate]++, left })
  if (walk)
    for (const participant of participants)
      await participant.walk(new Step('read', new Attempt('recovery')), call)
  return found
}

type Counts = Omit<Recovered, 'left'>

interface Place {
  readonly log: Log
  readonly participants: readonly Participant[]
  readonly databases: Databases
  readonly leaseMs: number
}

/** Settle one transaction. `undefined`: there is nothing to do any more. */
async function recovered(id: string, metAt: number, place: Place, call: Ending): Promise<Fate | undefined> {
  const { log, leaseMs } = place
  const first = await log.entry(id, call)
  if (first === undefined || isFinished(first)) return undefined
  const until = metAt + leaseMs
  let met: typeof first | undefined = first
  while (met?.value.state === 'open' && monotonicClock() < until) {
    await log.wait(id, Math.min(100, until - monotonicClock()), call)
    met = await log.entry(id, call)
  }
  // Its own process has aborted it, and left nothing.
  if (met === undefined) return undefined
  const { state } = met.value
  const decided = state === 'open' ? await log.abort(id, call) : state
  await settleAll({ ...first.value, state: decided }, place, call)
  await place.databases.settle(id, first.value, decided, call)
  await log.finish(id, call)
  return decided
}

/**
 * A change of an aborted one may arrive long after: its records are looked at again, for a day. In a store without expiry it is
 * removed afterwards. The next reader of such a change finds no decision, and aborts it once more.
 */
async function finishedOne(
  id: string,
  entry: Entry<LogRecord>,
  place: Place,
  call: Ending,
): Promise<'forgotten' | undefined> {
  const { log } = place
  if (entry.value.state === 'aborted') await settleAll(entry.value, place, call)
  if (!isOld(entry)) return undefined
  await log.forget(id, entry, call)
  return 'forgotten'
}

/** A read for a transaction settles what it meets. */
async function settleAll(
  { records, state }: LogRecord,
  { participants, databases }: Place,
  call: Ending,
): Promise<void> {
  const step = new Step('read', new Attempt('recovery'))
  for (const [name, keys] of Object.entries(records)) {
    if (databases.has(name)) continue
    const participant =
      participants.find((one) => one.name === name) ?? participants.find((one) => one.place === name)
    if (participant === undefined)
      throw new Error(`The store "${name}" is not among those of transactions().`)
    const results = await participant.read(
      keys.map((key) => ({ key })),
      step,
      call,
    )
    const failed = results.find((result) => isStoreError(result))
    if (failed !== undefined) throw failed
    // Another store may have the same place. Transactions of databases leave each of their records.
    if (participant.name !== name && state === 'committed' && results.includes(undefined))
      throw new Error(`The records of "${name}" are not in the stores of transactions().`)
  }
}
