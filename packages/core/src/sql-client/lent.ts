import type { GiveBack } from '../adapter/groups/permits.ts'
import type { Lender } from './lender.ts'

/** A connection of a pool for the length of a transaction. */
export abstract class Lent<C extends object> {
  protected readonly connection: C
  readonly #from: Lender<C>
  readonly #giveBack: GiveBack
  #isBack = false
  readonly #underWay = new Set<() => void>()

  constructor(connection: C, from: Lender<C>, giveBack: GiveBack) {
    this.connection = connection
    this.#from = from
    this.#giveBack = giveBack
  }

  /** Whether a statement is under way. */
  get isBusy(): boolean {
    return this.#underWay.size > 0
  }

  /** Give it back; a spoilt one is cut, and with it everything that it holds in the server ends. */
  release(spoilt: boolean): void {
    if (this.#isBack) return
    this.#isBack = true
    this.#from.takeBack(this.connection, spoilt)
    this.#giveBack()
    // A driver may never answer on a connection that was cut.
    if (spoilt) for (const cut of this.#underWay) cut()
  }

  /** The answer of statements. Errors are those of the driver, as `Failure`. */
  protected asked<R>(
    send: (answered: (error: unknown, result?: unknown) => void) => unknown,
    isSent: () => boolean = () => true,
  ): Promise<R> {
    return new Promise((resolve, reject) => {
      if (this.#isBack) return reject(new Failure(new Error('The transaction is over.'), false))
      const fail = (error: unknown): void => reject(new Failure(error, isSent()))
      const cut = (): void => fail(new Error('The connection was cut.'))
      this.#underWay.add(cut)
      send((error, result) => {
        this.#underWay.delete(cut)
        if (error === undefined || error === null) resolve(result as R)
        else fail(error)
      })
    })
  }
}

/** An error of the driver, and whether the statement was sent. */
export class Failure extends Error {
  readonly reason: unknown
  readonly isSent: boolean

  constructor(reason: unknown, isSent: boolean) {
    super('A statement of a transaction failed.')
    this.reason = reason
    this.isSent = isSent
  }
}
