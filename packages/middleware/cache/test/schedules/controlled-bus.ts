import type { Random } from '@unikv/test-kit/schedules'
import type { PubSub, PubSubEvents } from '../../src/index.ts'

interface Member {
  readonly events: PubSubEvents
  isUp: boolean
  /** Messages on their way to it, in order. */
  waiting: string[]
}

/** A bus on which the schedule decides when who hears what; in order, unless a message is lost. */
export class ControlledBus implements PubSub {
  readonly name = 'bus'
  readonly #random: Random
  readonly #members: Member[] = []
  /** Share of messages that are lost on their way to one member. */
  readonly #loss: number

  constructor(random: Random) {
    this.#random = random
    this.#loss = random.pick([0, 0, 0.05])
  }

  connect(events: PubSubEvents) {
    const member: Member = { events, isUp: false, waiting: [] }
    this.#members.push(member)
    return {
      publish: async (text: string): Promise<void> => {
        if (!member.isUp) throw new Error('The schedule says so.')
        for (const one of this.#members)
          if (one.isUp && (one === member || !this.#random.chance(this.#loss))) one.waiting.push(text)
      },
      close: async (): Promise<void> => {},
    }
  }

  /** Let somebody hear the next message; or, rarely, lose or mend a connection. */
  step(): void {
    const member = this.#random.pick(this.#members)
    if (member.isUp && this.#random.chance(0.02)) {
      member.isUp = false
      member.waiting = []
      member.events.down()
    } else if (!member.isUp) {
      if (!this.#random.chance(0.3)) return
      member.isUp = true
      member.events.up()
    } else {
      const text = member.waiting.shift()
      if (text !== undefined) member.events.message(text)
    }
  }
}
