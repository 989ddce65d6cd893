import { clearTimeout, setTimeout } from '@unikv/core/platform'
import type { Handing } from './handing.ts'
import type { HeldLane, Queue, Waiting } from './held-lane.ts'
import type { StoredMessage } from './layout.ts'
import type { RelayPlan } from './options.ts'
import type { OutboxRecords } from './records.ts'
import { Removing } from './removing.ts'

/** A queue whose first message comes next. */
interface Turn {
  readonly held: HeldLane
  readonly queue: Queue
}

/** The parts that a line needs. */
export interface LineParts {
  readonly records: OutboxRecords
  readonly handing: Handing
  /** Make sure of a lane that another relay may have. */
  readonly renew: (held: HeldLane) => Promise<boolean>
}

/** Queues in line: of each the first message is handed on, and removed, before the next one. */
export class Line {
  readonly #plan: RelayPlan
  readonly #parts: LineParts
  readonly #removing: Removing
  readonly #turns: Turn[] = []
  readonly #underWay = new Set<Promise<void>>()
  /** Queues that rest after a failure. */
  readonly #resting = new Set<NodeJS.Timeout>()
  #isOver = false

  constructor(plan: RelayPlan, parts: LineParts) {
    this.#plan = plan
    this.#parts = parts
    this.#removing = new Removing(parts.records)
  }

  /** Begin nothing more. Resolves when all that was begun has ended. */
  async end(): Promise<void> {
    this.#isOver = true
    for (const timer of this.#resting) clearTimeout(timer)
    await Promise.all(this.#underWay)
  }

  /** Read the messages of a lane. It never fails: the next look tries again. */
  async load(held: HeldLane): Promise<void> {
    if (held.isLoading) return
    held.isLoading = true
    try {
      for (;;) {
        const numbers = held.next()
        if (numbers.length === 0 || held.isLost || this.#isOver) return
        const found = await this.#parts.records.messages(held.lane, numbers)
        for (const queue of held.add(numbers, found)) this.#join({ held, queue })
      }
    } catch (error) {
      this.#plan.tell(error)
    } finally {
      held.isLoading = false
    }
  }

  /** Hand on as many messages as the application takes. A lane that is not sure waits until it is. */
  pump(): void {
    const unsure: Turn[] = []
    while (this.#turns.length > 0 && this.#underWay.size < this.#plan.concurrency && !this.#isOver) {
      const turn = this.#turns.shift() as Turn
      if (turn.held.isLost) continue
      if (turn.held.isSure) this.#begin(turn)
      else unsure.push(turn)
    }
    this.#turns.unshift(...unsure)
  }

  #join(turn: Turn): void {
    if (turn.queue.isTaken || turn.queue.waiting.length === 0) return
    turn.queue.isTaken = true
    this.#turns.push(turn)
    this.pump()
  }

  #again(turn: Turn): void {
    turn.queue.isTaken = false
    this.#join(turn)
  }

  #begin(turn: Turn): void {
    const work = this.#hand(turn)
      .catch((error: unknown) => {
        this.#plan.tell(error)
        this.#rest(turn, 1)
      })
      .finally(() => {
        this.#underWay.delete(work)
        this.pump()
      })
    this.#underWay.add(work)
  }

  /** Hand on the first message of a queue. */
  async #hand(turn: Turn): Promise<void> {
    const { held, queue } = turn
    const first = await this.#first(turn)
    if (!held.isSure) return this.#again(turn)
    if (first !== undefined) {
      const { message, number, version } = first
      const place = { number, failed: held.failedOf(number) }
      const isTaken = await this.#parts.handing.hand(message, place, held.lost.signal)
      if (!isTaken) return this.#rest(turn, held.fail(number))
      const persistence = { isWanted: () => !held.isLost && !this.#isOver, tell: this.#plan.tell }
      const removed = await this.#removing.remove({ lane: held.lane, number, version }, persistence)
      if (removed === undefined) return
      // An answer was lost, or another relay has been here.
      if (removed === 'gone') await this.#parts.renew(held)
    }
    held.shift(queue)
    this.#again(turn)
    void this.load(held)
  }

  /** The first message of a queue; `undefined`: it is not there any more. */
  async #first({ held, queue }: Turn): Promise<(Waiting & { readonly message: StoredMessage }) | undefined> {
    const [first] = queue.waiting
    if (first?.message === undefined) {
      const missing = held.missing(queue)
      const numbers = missing.map(({ number }) => number)
      const found = await this.#parts.records.messages(held.lane, numbers)
      for (const [i, waiting] of missing.entries()) waiting.message = found[i]?.value
    }
    return first?.message === undefined ? undefined : { ...first, message: first.message }
  }

  /** Keep a queue from the line for a while. */
  #rest(turn: Turn, failed: number): void {
    if (this.#isOver || turn.held.isLost) return
    const timer = setTimeout(() => {
      this.#resting.delete(timer)
      this.#again(turn)
    }, this.#plan.retryMs(failed))
    this.#resting.add(timer)
  }
}
