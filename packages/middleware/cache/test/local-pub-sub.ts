import type { PubSub, PubSubConnection, PubSubEvents } from '../src/index.ts'

/** Messages among the stacks of this process, which a test can hold back, drop and cut. */
export interface LocalPubSub extends PubSub {
  /** While true messages wait. */
  held: boolean
  /** While true messages are taken and lost. */
  lossy: boolean
  /** Deliver what waits. */
  deliver(): void
  /** All connections are lost. */
  cut(): void
  /** And come back. */
  mend(): void
  /** Say something that nobody of this package would. */
  say(text: string): void
  readonly connections: number
  connect(events: PubSubEvents): PubSubConnection
}

export function localPubSub(): LocalPubSub {
  const members = new Map<PubSubEvents, { isUp: boolean }>()
  let waiting: { readonly text: string; readonly to: readonly PubSubEvents[] }[] = []
  const send = (text: string): void => {
    if (bus.lossy) return
    const to = Array.from(members.keys()).filter((member) => members.get(member)?.isUp)
    waiting.push({ text, to })
    if (!bus.held) bus.deliver()
  }
  const bus: LocalPubSub = {
    name: 'local',
    held: false,
    lossy: false,
    get connections() {
      return members.size
    },
    connect: (events) => {
      const state = { isUp: true }
      members.set(events, state)
      queueMicrotask(() => events.up())
      return {
        publish: async (text) => {
          if (!state.isUp) throw new Error('cut')
          send(text)
        },
        close: async () => void members.delete(events),
      }
    },
    deliver: () => {
      const due = waiting
      waiting = []
      for (const { text, to } of due) for (const member of to) member.message(text)
    },
    cut: () => {
      waiting = []
      for (const [member, state] of members) {
        state.isUp = false
        member.down()
      }
    },
    mend: () => {
      for (const [member, state] of members) {
        state.isUp = true
        member.up()
      }
    },
    say: send,
  }
  return bus
}
