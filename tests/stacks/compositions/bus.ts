import type { PubSub } from '@unikv/cache'
import type { Random } from '@unikv/test-kit/schedules'

type Events = Parameters<PubSub['connect']>[0]

interface Member {
  readonly events: Events
  isUp: boolean
  /** Messages on their way to it, in order. */
  waiting: string[]
}

/** A bus on which the program decides when who hears what; in order, unless a message is lost. */
export class Bus implements PubSub {
  readonly name = 'bus'
  /** Whether publishing never ends. */
  isHung = false
  readonly #random: Random
  readonly #loss: number
  readonly #members: Member[] = []

  constructor(random: Random) {
    this.#random = random
    this.#loss = random.pick([0, 0, 0.05])
  }

  /** Connections that were not closed. */
  get members(): number {
    return this.#members.length
  }

  connect(events: Events): ReturnType<PubSub['connect']> {
    const member: Member = { events, isUp: false, waiting: [] }
    this.#members.push(member)
    return {
      publish: (text) => (this.isHung ? new Promise(() => {}) : this.#publish(member, text)),
      close: async () => {
        this.#members.splice(this.#members.indexOf(member), 1)
      },
    }
  }

  /** Let somebody hear the next message; or, rarely, lose or mend a connection. */
  step(): void {
    if (this.#members.length === 0) return
    const member = this.#random.pick(this.#members)
    if (!member.isUp) {
      if (this.#random.chance(0.3)) this.#mend(member)
    } else if (this.#random.chance(0.02)) {
      member.isUp = false
      member.waiting = []
      member.events.down()
    } else {
      const text = member.waiting.shift()
      if (text !== undefined) member.events.message(text)
    }
  }

  async #publish(from: Member, text: string): Promise<void> {
    if (!from.isUp) throw new Error('The program says so.')
    for (const one of this.#members)
      if (one.isUp && (one === from || !this.#random.chance(this.#loss))) one.waiting.push(text)
  }

  #mend(member: Member): void {
    member.isUp = true
    member.events.up()
  }
}
