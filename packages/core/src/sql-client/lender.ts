import { closed } from '../adapter/adapter-errors.ts'
import { endedWith, Timed } from '../adapter/attempt.ts'
import { type GiveBack, Permits } from '../adapter/groups/permits.ts'
import { LastUses } from '../adapter/idle.ts'
import { endOf } from '../contract/call.ts'
import { StoreError } from '../contract/errors.ts'
import type { GroupCall } from '../contract/groups.ts'
import type { CallOptions } from '../contract/store.ts'
import { queueMicrotask } from '../platform/timers.ts'

/** A pool of a driver, and how its connections are spoken to. */
export interface SqlPool<C extends object> {
  /** The driver's own pool, which several stores may share. */
  readonly pool: object
  /** How many connections it has at most, if it tells. */
  readonly limit: number | undefined
  /** Have the pool lend a connection as soon as one is free. Without a connection there is an error. */
  readonly take: (borrow: (error: unknown, connection: C | undefined) => void) => void
  /** Ask the server for a sign of life. */
  readonly ask: (connection: C, answered: (lives?: boolean) => void) => unknown
  /** Give a connection back to its pool. */
  readonly giveBack: (connection: C) => void
  /** Close a connection at once, without waiting for the server to agree. */
  readonly cut: (connection: C) => void
  /** Why a connection must not be used as it is, before anything is sent. */
  readonly refusal?: (connection: C) => StoreError | undefined
  /** An error of the driver as a `StoreError`. */
  readonly errorOf: (error: unknown, isWrite: boolean, sent: boolean) => StoreError
  /** Whether the connection that gave this error must not be used again. */
  readonly spoils: (error: unknown) => boolean
  /** Whether a transaction lost a conflict with this error. */
  readonly isConflict: (error: unknown) => boolean
}

/** Lends the connections of a pool to statements and transactions, each no longer than its call waits. */
export abstract class Lender<C extends object> {
  readonly of: SqlPool<C>
  readonly #uses = new LastUses<C>()
  readonly #queueLimit: number
  readonly #waiting = new Set<Borrower<C>>()
  readonly #permits: Permits
  #isHanding = false

  constructor(of: SqlPool<C>, queueLimit: number) {
    this.of = of
    this.#queueLimit = queueLimit
    this.#permits = Permits.of(of.pool, of.limit)
  }

  /**
   * Lend a connection to a statement.
   *
   * @throws {StoreError} `OVERLOADED` at once if too many wait
   */
  protected borrow<R>(
    borrower: (resolve: (result: R) => void, reject: (error: StoreError) => void) => Borrower<C>,
  ): Promise<R> {
    if (this.#waiting.size >= this.#queueLimit) return Promise.reject(overloaded(this.#queueLimit))
    return new Promise((resolve, reject) => this.#take(borrower(resolve, reject)))
  }

  /**
   * A connection for a transaction, which gives it back. There are fewer of these than connections.
   *
   * @throws {StoreError} `OVERLOADED` at once if too many wait
   */
  protected async hold<L>(call: GroupCall, lent: (connection: C, giveBack: GiveBack) => L): Promise<L> {
    if (this.#waiting.size + this.#permits.waiting >= this.#queueLimit) throw overloaded(this.#queueLimit)
    const giveBack = await this.#permits.take(call, this)
    try {
      return await new Promise((resolve, reject) => {
        this.#take(new Lease(this, call, (connection) => resolve(lent(connection, giveBack)), reject))
      })
    } catch (error) {
      giveBack()
      throw error
    }
  }

  /** Take a connection back; a spoilt one is cut. */
  takeBack(connection: C, spoilt: boolean): void {
    if (spoilt) return this.of.cut(connection)
    this.#uses.note(connection)
    this.of.giveBack(connection)
  }

  /** End what still waits for a connection: a pool that is closing may never answer it. */
  close(): void {
    for (const borrower of this.#waiting) borrower.fail(closed())
    this.#permits.refuse(this, closed())
  }

  #take(borrower: Borrower<C>): void {
    this.#waiting.add(borrower)
    this.of.take((error, connection) => {
      this.#waiting.delete(borrower)
      if (connection === undefined) borrower.fail(error)
      else if (this.#uses.isIdle(connection)) void this.#ask(connection, borrower)
      else this.#hand(connection, borrower)
    })
  }

  /**
   * A borrower whose call is over gives the connection back at once, and a pool may hand it to the next one in that moment. Thousands of these
   * would be as many calls on the stack, so the next one has its turn after this one.
   */
  #hand(connection: C, borrower: Borrower<C>): void {
    if (this.#isHanding) return queueMicrotask(() => this.#hand(connection, borrower))
    this.#isHanding = true
    try {
      borrower.start(connection)
    } finally {
      this.#isHanding = false
    }
  }

  /** A connection that may have died unseen is replaced unless it answers. */
  async #ask(connection: C, borrower: Borrower<C>): Promise<void> {
    const { of } = this
    if (await this.#uses.lives(connection, (answered) => of.ask(connection, answered)))
      return this.#hand(connection, borrower)
    of.cut(connection)
    this.#take(borrower)
  }
}

/** Something that needs a connection: it ends once, with what it is for or at the deadline of its call. */
export abstract class Borrower<C extends object> extends Timed {
  readonly #from: Lender<C>
  readonly #reject: (error: StoreError) => void
  protected isOver = false
  #connection: C | undefined
  protected readonly isWrite: boolean
  protected isSent = false

  constructor(from: Lender<C>, call: CallOptions, isWrite: boolean, reject: (error: StoreError) => void) {
    super(call)
    this.#from = from
    this.#reject = reject
    this.isWrite = isWrite
  }

  /** There is a connection: off it goes, unless the call has ended. */
  start(connection: C): void {
    const { of } = this.#from
    if (this.isOver) return of.giveBack(connection)
    this.#connection = connection
    if (this.refuses()) return
    const refusal = of.refusal?.(connection)
    if (refusal === undefined) this.use(connection)
    else this.refuse(refusal, true)
  }

  /** It will get no connection, or no answer. */
  fail(error: unknown, spoilt: boolean = this.#from.of.spoils(error)): void {
    this.refuse(this.#from.of.errorOf(error, this.isWrite, this.isSent), spoilt)
  }

  /** Begin with a connection that may be used. */
  protected abstract use(connection: C): void

  /** Whether it is over, or its call has ended meanwhile and nothing may be sent. */
  protected refuses(): boolean {
    if (this.isOver) return true
    const refusal = endOf(this.call, false)
    if (refusal !== undefined) this.refuse(refusal, false)
    return refusal !== undefined
  }

  /** End it with this error; a spoilt connection is cut. */
  protected refuse(error: StoreError, spoilt: boolean): void {
    this.end(() => this.#reject(error), spoilt)
  }

  /** The connection goes with the call, so that a late reply cannot reach another call. */
  protected cut(): void {
    this.refuse(endedWith(this.call, this.isWrite, this.isSent), true)
  }

  /** End it, unless it has ended. `kept`: the connection stays where it is. */
  protected end(settle: () => void, spoilt: boolean | 'kept'): void {
    if (this.isOver) return
    this.isOver = true
    this.forget()
    if (this.#connection !== undefined && spoilt !== 'kept') this.#from.takeBack(this.#connection, spoilt)
    settle()
  }
}

/** A transaction that waits for a connection, no longer than its call does. */
class Lease<C extends object> extends Borrower<C> {
  readonly #lent: (connection: C) => void

  constructor(
    from: Lender<C>,
    call: GroupCall,
    lent: (connection: C) => void,
    reject: (error: StoreError) => void,
  ) {
    super(from, call, false, reject)
    this.#lent = lent
  }

  protected use(connection: C): void {
    this.end(() => this.#lent(connection), 'kept')
  }
}

function overloaded(queueLimit: number): StoreError {
  return new StoreError(
    'OVERLOADED',
    `${queueLimit} statements are already waiting for a connection. Send fewer, or raise maxConnections.`,
  )
}
