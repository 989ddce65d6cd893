import type { Mutation } from '@unikv/core'
import { checkOptions, kindOf, type OptionNames, StoreError } from '@unikv/core/adapter'
import { wallClock } from '@unikv/core/platform'
import { Step } from '../layer/step.ts'
import type { Share } from '../run/participant.ts'
import type { Work } from '../run/view.ts'
import type { OpenedOutbox } from './core.ts'
import { foundIn, type Head, keyOf, laneOf, type StoredMessage } from './layout.ts'

/** Settings of `publish`. */
export interface PublishSettings {
  /** Messages with the same key are handed on in the order of their commits, over all topics. @default no order */
  readonly key?: string | undefined
}

const names: OptionNames<PublishSettings> = { key: true }

/** An outbox inside a transaction. */
export interface OutboxView<M> {
  /**
   * Hand a message on after the transaction commits. Resolves to its id.
   *
   * @throws {StoreError} `INVALID_VALUE` for a message that the codec of the outbox cannot hold; `INVALID_ARGUMENT`
   */
  publish<T extends keyof M & string>(topic: T, message: M[T], settings?: PublishSettings): Promise<string>
}

/** A message whose number is given at the end. */
interface Unnumbered {
  /** Its place among the calls of `publish`. */
  readonly place: number
  readonly lane: number
  readonly mutation: Mutation<unknown>
}

/** The messages of one attempt. Their numbers are given when the function has ended, so that lanes are held for a commit alone. */
class Publishing implements OutboxView<Record<string, unknown>> {
  readonly #work: Work
  readonly #share: Share
  readonly #outbox: OpenedOutbox
  readonly #messages: Unnumbered[] = []
  #calls = 0

  constructor(work: Work, share: Share, outbox: OpenedOutbox) {
    this.#work = work
    this.#share = share
    this.#outbox = outbox
  }

  publish(topic: string, value: unknown, settings: PublishSettings = {}): Promise<string> {
    return this.#work.during('publish', async () => {
      const place = this.#calls++
      const id = this.#work.messageId()
      checkOptions('publish', settings, names, 'INVALID_ARGUMENT')
      const { key } = settings
      checkText('topic', topic)
      if (key !== undefined) checkText('key', key)
      if (value === undefined)
        throw new StoreError('INVALID_VALUE', 'undefined cannot be published: use null.', {
          operation: 'publish',
        })
      const lanes = await this.#outbox.lanes()
      const lane = key === undefined ? Math.floor(Math.random() * lanes) : laneOf(key, lanes)
      const message: StoredMessage = {
        id,
        topic,
        ...(key !== undefined && { key }),
        value,
        publishedAt: wallClock(),
      }
      const { participant } = this.#share
      // The number is not known yet, and is not longer than this one.
      const longest = participant.keys.canonical(keyOf.message(lane, Number.MAX_SAFE_INTEGER))
      const mutation = await participant.mutation({ type: 'set', key: longest, value: message })
      if (this.#messages.length === 0) this.#work.around((commit) => this.#numbered(commit))
      this.#messages.push({ place, lane, mutation })
      return id
    })
  }

  /** Commit with numbers. Transactions of this process that publish into one lane come one after the other. */
  async #numbered<R>(commit: () => Promise<R>): Promise<R> {
    const byLane = new Map<number, Unnumbered[]>()
    // Calls that were made together may have ended in another order.
    this.#messages.sort((a, b) => a.place - b.place)
    for (const one of this.#messages) byLane.set(one.lane, [...(byLane.get(one.lane) ?? []), one])
    return this.#outbox.core.turns.take([...byLane.keys()], async () => {
      const { core } = this.#outbox
      const news = await this.#number(byLane)
      for (const lane of byLane.keys()) core.doubtful.add(lane)
      const committed = await commit()
      if (committed === undefined) return committed
      for (const lane of byLane.keys()) core.doubtful.delete(lane)
      core.ring(news)
      return committed
    })
  }

  /** Give each message the next number of its lane. Resolves to the newest ones, by lane. */
  async #number(byLane: ReadonlyMap<number, readonly Unnumbered[]>): Promise<ReadonlyMap<number, number>> {
    const { participant, reads, writes } = this.#share
    const { attempt, call } = this.#work
    const lanes = [...byLane.keys()]
    const keys = lanes.map((lane) => participant.keys.canonical(keyOf.head(lane)))
    const found = await participant.read(
      keys.map((key) => ({ key })),
      new Step('read', attempt),
      call,
    )
    const news = new Map<number, number>()
    for (const [i, lane] of lanes.entries()) {
      const key = keys[i] as string
      const head = foundIn<Head>(found[i])
      reads.set(key, head?.version)
      let last = head?.value.last ?? 0
      for (const { mutation } of byLane.get(lane) ?? []) {
        const own = participant.keys.canonical(keyOf.message(lane, ++last))
        writes.set(own, { ...mutation, key: own })
        // Numbers are given once, so there is no such record. A transaction that ended in between may have left one: the commit looks, and removes it.
        if (!this.#outbox.core.doubtful.has(lane)) reads.set(own, undefined)
      }
      writes.set(key, await participant.mutation({ type: 'set', key, value: { last } }))
      news.set(lane, last)
    }
    return news
  }
}

function checkText(name: string, text: unknown): void {
  if (typeof text === 'string') return
  const message = `The ${name} of a message must be a string, got ${kindOf(text)}.`
  throw new StoreError('INVALID_ARGUMENT', message, { operation: 'publish' })
}

/** The outboxes of an attempt, by the names of their stores. */
export function publishers(
  work: Work,
  outboxes: ReadonlyMap<string, OpenedOutbox>,
): Readonly<Record<string, OutboxView<Record<string, unknown>>>> {
  const own = work.shares.flatMap((share) => {
    const outbox = outboxes.get(share.participant.name)
    return outbox === undefined
      ? []
      : [[share.participant.name, new Publishing(work, share, outbox)] as const]
  })
  return Object.fromEntries(own)
}
