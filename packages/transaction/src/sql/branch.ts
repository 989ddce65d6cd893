import { isStoreError } from '@unikv/core'
import { endOf, leftMs, StoreError, within } from '@unikv/core/adapter'
import { clearInterval, setInterval } from '@unikv/core/platform'
import type { Attempt, Prepared } from '../layer/step.ts'
import type { Ending } from '../log/log.ts'
import type { Session, SqlIsolation } from './dialect.ts'
import type { Source } from './source.ts'
import { checkStatement } from './statement.ts'

/** An attempt, as it is for its branches. */
export interface Trying {
  readonly attempt: Attempt
  readonly call: Ending
  /** It can only run again. */
  isLost: boolean
}

/** How a branch takes part. */
export interface BranchSetting {
  readonly trying: Trying
  /** Number of the branch in it. */
  readonly part: number
  readonly isolation: SqlIsolation
  /** Finish what others have left prepared. */
  readonly heal: () => Promise<unknown>
}

/** Calls of a pool that a transaction has, too. */
const methods = ['query', 'execute', 'batch'] as const

/** The calls of a pool, on the connection of a transaction. */
export type SqlView<P> = Pick<P, Extract<keyof P, (typeof methods)[number]>>

/** How long a database that fails may hold up an answer, in milliseconds. */
const patienceMs = 5000

/** The transaction of one database inside an attempt. It begins with its first statement. */
export class Branch implements Prepared {
  readonly name: string
  readonly #source: Source
  readonly #setting: BranchSetting
  #begun: Promise<Session> | undefined
  #gid = ''
  #turn: Promise<unknown> = Promise.resolve()
  #isAsking = false
  /** `perhaps`: the answer to its prepare was lost. */
  #isPrepared: 'no' | 'yes' | 'perhaps' = 'no'
  #isOver = false
  #settled: Promise<boolean> | undefined

  constructor(name: string, source: Source, setting: BranchSetting) {
    this.name = name
    this.#source = source
    this.#setting = setting
  }

  get isUsed(): boolean {
    return this.#begun !== undefined
  }

  /** The calls of its pool. `during` counts those that are under way. */
  view(
    during: (operation: string, work: () => Promise<unknown>) => Promise<unknown>,
  ): Readonly<Record<string, unknown>> {
    const pool = this.#source.pool as Readonly<Record<string, unknown>>
    const present = methods.filter((method) => typeof pool[method] === 'function')
    return Object.fromEntries(
      present.map((method) => [
        method,
        (...args: readonly unknown[]) => during(method, () => this.#statement(method, args)),
      ]),
    )
  }

  /** @throws {StoreError} `INVALID_CONFIG` if the server cannot prepare */
  async check(): Promise<void> {
    await this.#source.check(await this.#open(), this.#setting.trying.call)
  }

  /** Resolves to whether its changes wait for the decision; if not, they are lost. Errors are those of the driver. */
  async prepare(attempt: Attempt): Promise<boolean> {
    const { dialect } = this.#source
    const session = await this.#open()
    attempt.prepared.push(this)
    try {
      await this.#ask(session, () => dialect.prepare(session, this.#gid))
      this.#isPrepared = 'yes'
      return true
    } catch (error) {
      if (dialect.meaning(error) === 'conflict') return this.#lose()
      if (dialect.meaning(error) === 'told' || isRefusal(error)) throw error
    }
    session.cut()
    this.#isPrepared = 'perhaps'
    attempt.mayComeLate = true
    const found = await this.#source.prepared(this.#setting.trying.call)
    return found.some(({ gid }) => gid === this.#gid)
  }

  /**
   * Commit it alone, in one step. Resolves to whether that is done; if not, it has lost a conflict. Other errors are those of the driver.
   *
   * @throws {StoreError} `OUTCOME_UNKNOWN` if the answer was lost
   */
  async commit(): Promise<boolean> {
    const { dialect } = this.#source
    const session = await this.#open()
    const end = endOf(this.#setting.trying.call, false)
    if (end !== undefined) throw end
    try {
      await this.#ask(session, () => dialect.commit(session, this.#gid))
    } catch (error) {
      if (dialect.meaning(error) === 'conflict') return this.#lose()
      if (dialect.meaning(error) === 'told' || isRefusal(error)) throw error
      session.cut()
      const message = `It is not known whether the transaction of "${this.name}" took effect: the answer to its commit was lost.`
      throw new StoreError('OUTCOME_UNKNOWN', message, { cause: error })
    }
    this.#isOver = true
    session.release()
    return true
  }

  /** Commit what is prepared, or roll it back, as was decided. Resolves to whether that is done; it never fails. */
  settle(isCommitted: boolean): Promise<boolean> {
    this.#settled ??= this.#settle(isCommitted).catch(() => false)
    return this.#settled
  }

  /** Roll back what is neither prepared nor committed. It never fails. */
  async end(): Promise<void> {
    if (this.#isOver || this.#begun === undefined) return
    this.#isOver = true
    const session = await this.#begun.catch(() => undefined)
    if (session === undefined) return
    // A prepared transaction waits for its decision.
    if (this.#isAsking || this.#isPrepared !== 'no') return session.cut()
    const { dialect } = this.#source
    const call = within(patienceMs)
    await this.#source
      .ask(session, call, () => dialect.rollback(session, this.#gid))
      .then(
        () => session.release(),
        () => session.cut(),
      )
  }

  async #settle(isCommitted: boolean): Promise<boolean> {
    if (this.#isPrepared === 'no') {
      await this.end()
      return true
    }
    this.#isOver = true
    const { dialect } = this.#source
    const call = within(patienceMs)
    if (this.#isPrepared === 'yes') {
      const session = await this.#open()
      const finish = this.#source.ask(session, call, () => dialect.finish(session, this.#gid, isCommitted))
      const isDone = await finish.then(
        () => true,
        () => false,
      )
      if (isDone) session.release()
      else session.cut()
      if (isDone) return true
    }
    const isSettled = await this.#source.settle(this.#gid, isCommitted, call, true)
    // A prepare may still arrive that was aborted: the log must remember it.
    return isSettled && (isCommitted || this.#isPrepared === 'yes')
  }

  /** A connection in the transaction, from the first call on. */
  #open(): Promise<Session> {
    this.#begun ??= this.#begin()
    return this.#begun
  }

  /** The database has told of a conflict: the function can only run again. */
  #lose(): false {
    const { trying } = this.#setting
    trying.isLost = true
    trying.attempt.lostIn ??= this.name
    return false
  }

  async #begin(): Promise<Session> {
    const { trying, part, isolation } = this.#setting
    const { attempt, call } = trying
    const { dialect, leaseMs: lockMs } = this.#source
    const session = await this.#source.lend(call)
    this.#gid = dialect.gid(session, attempt.id, part)
    try {
      await this.#ask(session, () =>
        dialect.begin(session, this.#gid, { isolation, lockMs, leftMs: leftMs(call) }),
      )
      return session
    } catch (cause) {
      session.cut()
      if (isStoreError(cause)) throw cause
      // A connection that ended while it was idle: another one may live.
      if (dialect.meaning(cause) === 'lost') this.#lose()
      const message = `The SQL database "${this.name}" did not begin a transaction; nothing was changed.`
      throw new StoreError('UNAVAILABLE', message, { cause })
    }
  }

  /** One after the other, as a connection has them. */
  #statement(method: string, args: readonly unknown[]): Promise<unknown> {
    checkStatement(args)
    const turn = this.#turn.then(() => this.#asked(method, args))
    this.#turn = turn.catch(() => {})
    return turn
  }

  async #asked(method: string, args: readonly unknown[]): Promise<unknown> {
    const session = await this.#open()
    const { dialect, leaseMs } = this.#source
    // It may wait for a lock of a transaction whose process has ended.
    const timer = setInterval(() => void this.#setting.heal().catch(() => {}), leaseMs / 2)
    this.#isAsking = true
    try {
      return await this.#ask(session, () => session.call(method, args))
    } catch (error) {
      if (dialect.meaning(error) === 'conflict') this.#lose()
      throw error
    } finally {
      clearInterval(timer)
      this.#isAsking = false
    }
  }

  #ask<T>(session: Session, work: () => Promise<T>): Promise<T> {
    return this.#source.ask(session, this.#setting.trying.call, work)
  }
}

function isRefusal(error: unknown): boolean {
  return isStoreError(error) && error.code === 'INVALID_ARGUMENT'
}
