import type { Awaitable, Version } from '@unikv/core'

/** A key that was written. */
export interface BusWrite {
  readonly key: string
  /** The version that it has now; `undefined`: not known, or gone. */
  readonly version: Version | undefined
}

/** Carries the news of writes between processes: see decision 0015. */
export interface InvalidationBus {
  readonly name: string
  /** The store itself tells of all writes by any writer, so that a cache need not. @default false */
  readonly storeTells?: boolean | undefined
  /**
   * Take part; the listener is told of all that is told from when `up` is called. A promise that rejects is counted
   * (`stats().bus.joinFailures`), and it is asked again.
   */
  join(listener: BusListener): Awaitable<BusMember>
}

/** The notifications to a member of a bus. None of them may throw. */
export interface BusListener {
  /** From now on nothing is missed. */
  up(): void
  /** From now on anything may be missed, until `up`. */
  down(): void
  /** Others wrote these keys. */
  written(writes: readonly BusWrite[]): void
  /** Others invalidated these tags. */
  invalidated(tags: readonly string[]): void
  /** Something was missed: anything may have been written. */
  missed(): void
  /** A ping of this member came back. */
  echo(token: number): void
}

/** One who takes part in a bus. */
export interface BusMember {
  /** Tell all others; `'all'`: anything may have been written. Resolves when what is told later is told after it. */
  tell(writes: readonly BusWrite[] | 'all'): Promise<void>
  /** Tell all others that tags were invalidated, likewise. Where it is missing they are told `'all'`. */
  tellTags?(tags: readonly string[]): Promise<void>
  /** Comes back as `echo`, after all that was told before it by anybody. */
  ping(token: number): Promise<void>
  /** Take part no longer, and close what was opened. */
  leave(): Promise<void>
}

/** Messages to all connected members, the sender included, to each in the same order. */
export interface PubSub {
  readonly name: string
  /** Connect, and again whenever the connection is lost. It is asked again if the promise rejects. */
  connect(events: PubSubEvents): Awaitable<PubSubConnection>
}

/** The events of a connection. None of the listeners may throw. */
export interface PubSubEvents {
  /** From now on all messages come. */
  up(): void
  /** From now on none comes, until `up`. */
  down(): void
  /** The next one, in the order of the channel. */
  message(text: string): void
}

/** A connection of one process. */
export interface PubSubConnection {
  /** Resolves when the message has its place in the order. */
  publish(text: string): Promise<void>
  /** Connect no more. */
  close(): Promise<void>
}
