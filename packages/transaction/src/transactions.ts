import {
  any,
  type Background,
  checkKeyValue,
  endOf,
  func,
  heard,
  type JointMember,
  kindOf,
  leftMs,
  ms,
  type OptionsOf,
  oneOf,
  readCall,
  readOptions,
  type SettingsOf,
  StoreError,
  unfailing,
  within,
} from '@unikv/core/adapter'
import { pause } from '@unikv/core/platform'
import { profiles, type RetryPolicy, type RetryProfile } from '@unikv/entity'
import { newId } from './layer/marks.ts'
import { type Ending, type Log, type LogStore, logIn } from './log/log.ts'
import { type Fate, outcomeMs } from './log/record.ts'
import type { OpenedOutbox } from './outbox/core.ts'
import { type Outbox, outboxIn } from './outbox/outbox.ts'
import { type OutboxView, publishers } from './outbox/publishing.ts'
import { type Pending, type PendingOptions, pending } from './recovery/pending.ts'
import { type Recovered, type RecoverOptions, recover } from './recovery/recover.ts'
import { type Isolation, isLost, tryCommit } from './run/commit.ts'
import { Members } from './run/joint.ts'
import { memberOf, Participant } from './run/participant.ts'
import { Queue, Turn } from './run/queue.ts'

import { type TransactionView, Work } from './run/view.ts'

import type { SqlView } from './sql/branch.ts'
import { Databases } from './sql/databases.ts'
import { Source, type SqlDatabase } from './sql/source.ts'
import { type Running, Telling, type TransactionMonitor } from './telling.ts'

/** KeyValues, databases of entities over them, and databases made by `sql`, by name; `log` keeps what became of transactions. */
export interface TransactionStores {
  readonly log: LogStore
  readonly [name: string]: unknown
}

/** The views of the stores inside a transaction, by name. */
export type TransactionOf<S extends TransactionStores> = {
  readonly [N in Exclude<keyof S, 'log'> & string]: S[N] extends Outbox<infer M>
    ? OutboxView<M>
    : S[N] extends JointMember<infer View>
      ? View
      : S[N] extends SqlDatabase<infer P>
        ? SqlView<P>
        : S[N] extends {
              /** As every KeyValue has it. */
              get(key: infer K, ...rest: never): Promise<infer R>
            }
          ? TransactionView<K, Exclude<R, undefined>>
          : never
}

const ofRuns = {
  /** @default 'serializable' */
  isolation: oneOf<Isolation>('serializable', ['serializable', 'snapshot']),
  /** Deadline of a run with all its attempts, in milliseconds: a day at most, as the log then forgets. @default 30,000 */
  timeoutMs: ms(30_000, { most: outcomeMs }),
  /** When a transaction that lost a conflict runs again. @default 'default' */
  retry: (given: RetryProfile | RetryPolicy | undefined = 'default', name: string, whose: string) =>
    typeof given === 'function'
      ? given
      : profiles[oneOf('default', Object.keys(profiles) as RetryProfile[])(given, name, whose)],
}

const ofAll = {
  /**
   * Gets what is left to do after an answer, as `waitUntil` of a serverless platform. If it is lost, the next reader does it.
   * @default the process goes on with it
   */
  background: func<Background>(),
  /** Counts commits, conflicts by store, and recoveries: what `monitor()` of @unikv/monitor returned. @default none */
  monitor: any<TransactionMonitor>(),
}

/** Options of all transactions. */
export interface TransactionsOptions extends OptionsOf<typeof ofRuns>, OptionsOf<typeof ofAll> {}

/** Settings of one run. */
export interface TransactionSettings extends OptionsOf<typeof ofRuns> {
  readonly signal?: AbortSignal | undefined
}

/** Counters of `statistics()`. */
export interface TransactionStatistics {
  readonly committed: number
  readonly conflicts: number
  readonly givenUp: number
}

/** Transactions over records of several stores. */
export interface Transactions<S extends TransactionStores> {
  /**
   * Run a function in a transaction: all its changes take effect, or none. It may run several times, so it should change nothing
   * else. Its last result is that of `run`.
   *
   * @throws {StoreError} `OVERLOADED` if it lost every conflict; `OUTCOME_UNKNOWN` if the log could not be read; what the function
   * throws: nothing was changed
   */
  run<R>(work: (tx: TransactionOf<S>) => Promise<R>, settings?: TransactionSettings): Promise<R>
  /** The fate of a transaction, for a day; `undefined`: it is not decided, or forgotten. */
  outcome(id: string): Promise<Fate | undefined>
  /** Abort what is open for longer than its lease, and write what was decided: after crashes. */
  recover(options?: RecoverOptions): Promise<Recovered>
  /**
   * The transactions that are not finished, as the log tells of them; nothing is changed. Those of a process that is killed are
   * among them for longer than their lease.
   *
   * @throws {StoreError} `CORRUPT` if the store is not a log of transactions
   */
  pending(options?: PendingOptions): Promise<Pending>
  /** Counts of this process. */
  statistics(): TransactionStatistics
}

const options = { ...ofRuns, ...ofAll }
const settings = { ...ofRuns, signal: any<AbortSignal>() }

/**
 * Transactions over the records of these KeyValues, each with the layer `transactional`. They are strictly serializable, and need no server of their
 * own.
 *
 * ```ts
 * const db = transactions({ accounts, orders, log })
 * await db.run(async (tx) => {
 *   const from = await tx.accounts.get('ada')
 *   await tx.accounts.set('ada', from - 10)
 *   await tx.orders.set('o1', { paid: 10 })
 * })
 * ```
 *
 * @throws {StoreError} `INVALID_CONFIG` for a store that cannot take part
 */
export function transactions<S extends TransactionStores>(
  stores: S,
  given: TransactionsOptions = {},
): Transactions<S> {
  const own = readOptions('transactions', options, given)
  const { log: logStore, ...others } = Object(stores) as S
  if (logStore === undefined)
    throw new StoreError('INVALID_CONFIG', 'transactions() needs `log`: the KeyValue that its layers name.')
  const log = logIn(logStore)
  if ('then' in others)
    throw new StoreError(
      'INVALID_CONFIG',
      'A store cannot be named "then": its transaction would be taken for a promise.',
    )
  const kvs = Object.values(others).map((given) =>
    given instanceof Source ? given.pool : (memberOf(given)?.kv ?? given),
  )
  if (new Set(kvs).size < kvs.length)
    throw new StoreError('INVALID_CONFIG', 'transactions() got one store by two names: pass it once.')
  for (const [name, one] of Object.entries(others))
    if (!(one instanceof Source) && memberOf(one) === undefined && outboxIn(one) === undefined)
      checkKeyValue(`The store "${name}" of transactions`, one)
  const outboxes = new Map<string, OpenedOutbox>()
  const databases = new Databases(log, others)
  const keyValues = Object.entries(others).filter(([name]) => !databases.has(name))
  const participants = keyValues.map(([name, store]) => {
    const outbox = outboxIn(store)
    if (outbox !== undefined) outboxes.set(name, outbox)
    return new Participant(name, (outbox?.core.kv ?? store) as never)
  })
  const stranger = participants.find((one) => one.log !== log)
  if (stranger !== undefined)
    throw new StoreError(
      'INVALID_CONFIG',
      `The store "${stranger.name}" names another log. Pass one KeyValue to all.`,
    )
  return new Database({ log, participants, databases, outboxes }, own)
}

interface DatabaseParts {
  readonly log: Log
  readonly participants: readonly Participant[]
  readonly databases: Databases
  /** Outboxes by the names of their participants. */
  readonly outboxes: ReadonlyMap<string, OpenedOutbox>
}

/** One run of a function. */
interface Run<R> {
  readonly work: (tx: never) => Promise<R>
  readonly members: Members
  readonly isolation: Isolation
  readonly retry: RetryPolicy
}

class Database {
  readonly #log: Log
  readonly #participants: readonly Participant[]
  readonly #databases: Databases
  readonly #outboxes: ReadonlyMap<string, OpenedOutbox>
  readonly #options: SettingsOf<typeof options>
  readonly #queue = new Queue()
  readonly #telling: Telling
  /** Gets work that goes on after an answer. It never throws. */
  readonly #later: (work: Promise<void>) => void
  readonly #counts = { committed: 0, conflicts: 0, givenUp: 0 }

  constructor({ log, participants, databases, outboxes }: DatabaseParts, own: SettingsOf<typeof options>) {
    this.#log = log
    this.#participants = participants
    this.#databases = databases
    this.#outboxes = outboxes
    this.#options = own
    this.#telling = new Telling(log.store.name, own.monitor)
    const background = unfailing(own.background)
    this.#later = (work) => void (background === undefined ? heard(work) : background(work))
  }

  async run<R>(work: (tx: never) => Promise<R>, own: TransactionSettings = {}): Promise<R> {
    const asked = readCall('run', settings, own)
    if (typeof work !== 'function')
      throw new StoreError('INVALID_ARGUMENT', `run() takes a function, got ${kindOf(work)}.`)
    const said = <N extends keyof typeof ofRuns>(name: N): SettingsOf<typeof ofRuns>[N] =>
      (own[name] === undefined ? this.#options : asked)[name]
    const call = within(said('timeoutMs'), { signal: asked.signal })
    const running = this.#telling.run()
    const members = new Members(this.#participants, call)
    return running.end(() =>
      members.end(() => {
        const run = { work, members, isolation: said('isolation'), retry: said('retry') }
        return this.#attempts(run, call, running)
      }),
    )
  }

  async #attempts<R>(run: Run<R>, call: Ending, running: Running): Promise<R> {
    let waitedMs = 0
    const turn = new Turn(this.#queue, call)
    try {
      for (let count = 1; ; count++) {
        const attempt = new Work(newId(), this.#participants, call, turn, this.#later)
        attempt.branches = this.#databases.branches(attempt, run.isolation)
        const trying = this.#attempt(attempt, run, call, running)
        const ended = await trying.finally(() => attempt.leave())
        if (ended !== undefined) return ended.result
        this.#counts.conflicts++
        running.conflict(attempt)
        const waitMs = run.retry({ count, waitedMs, random: Math.random })
        if (waitMs === undefined) throw this.#gaveUp(count, running)
        waitedMs += waitMs
        if (waitMs > 0) await pause(Math.min(waitMs, Math.max(0, leftMs(call))), { signal: call.signal })
        const end = endOf(call, false)
        if (end !== undefined) throw end
        await turn.after(attempt)
      }
    } finally {
      turn.end()
    }
  }

  outcome(id: string): Promise<Fate | undefined> {
    return this.#log.fate(id, within(5000))
  }

  recover(given: RecoverOptions = {}): Promise<Recovered> {
    return this.#telling.recovery(() => recover(this.#log, this.#participants, this.#databases, given))
  }

  pending(given: PendingOptions = {}): Promise<Pending> {
    return pending(this.#log, given)
  }

  statistics(): TransactionStatistics {
    return { ...this.#counts }
  }

  async #attempt<R>(
    attempt: Work,
    { work, members, isolation }: Run<R>,
    call: Ending,
    running: Running,
  ): Promise<{ readonly result: R } | undefined> {
    const views = {
      ...attempt.views(),
      ...publishers(attempt, this.#outboxes),
      ...members.begin(attempt),
    }
    let result: R
    try {
      result = await members.inside(() => work(views as never))
    } catch (error) {
      attempt.close()
      members.close()
      if (attempt.isLost || (await isLost(attempt, this.#log, call))) return undefined
      running.outcome = 'rolledBack'
      throw error
    }
    attempt.close()
    members.close()
    attempt.end()
    if (attempt.isLost) return undefined
    await members.seal()
    const done = await attempt.committed(() => tryCommit(attempt, this.#log, isolation, call))
    if (done === undefined) return undefined
    this.#counts.committed++
    await members.committed()
    return { result }
  }

  #gaveUp(count: number, running: Running): StoreError {
    running.outcome = 'givenUp'
    this.#counts.givenUp++
    const lost = count === 1 ? 'a conflict' : `${count} conflicts in a row`
    const message = `The transaction lost ${lost}, and its retry policy gave up; nothing was changed.`
    return new StoreError('OVERLOADED', message, { operation: 'run' })
  }
}
