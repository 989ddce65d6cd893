import type { Awaitable, Bytes, Capabilities, Store } from '@unikv/core'

/** Registers one test. `test` of vitest and of node:test are such functions. */
export type TestFunction = (title: string, run: () => Promise<void>) => unknown

/** Groups tests. `describe` of vitest and of node:test are such functions. */
export type DescribeFunction = (title: string, body: () => void) => unknown

/**
 * A wall clock (milliseconds since the epoch) that stands still until it is advanced, so that expiry is tested
 * without sleeping. Fits the option `clock` of stores and of KeyValue.
 */
export interface TestClock {
  (): number
  /** Let time pass. */
  advance(ms: number): void
}

/** Facts about the store under test that the suite needs. It learns everything else from the capabilities. */
export interface ConformanceOptions<V = Bytes> {
  readonly test: TestFunction
  /** Without it the topic stands in front of each title. */
  readonly describe?: DescribeFunction | undefined
  /** A store over a dataset of its own that is empty. Called at least once a test; the suite closes what it gets. */
  open(): Awaitable<Store<V>>
  /** @default those of a store that is opened (and closed) before the first test is registered */
  readonly capabilities?: Capabilities | undefined
  /** Value number `n`, made anew by each call; different numbers, different values. @default bytes */
  readonly value?: ((n: number) => V) | undefined
  /** The clock that `open` gives to its stores, if they do not ask a server for the time. */
  readonly clock?: TestClock | undefined
  /** Another instance over the dataset of this store, as another process would open it. */
  readonly reopen?: ((store: Store<V>) => Awaitable<Store<V>>) | undefined
  /** Damage the stored bytes of a key (already canonical) behind the back of the store. */
  readonly corrupt?: ((store: Store<V>, key: string) => Awaitable<unknown>) | undefined
  /**
   * The store holds foreign bytes as they are (`values: 'raw'`), so that records have no version.
   *
   * @default false
   */
  readonly foreign?: boolean | undefined
  /**
   * Objects that are read are shared by reference on purpose, so that changing one is the reader's own fault: not
   * tested then.
   *
   * @default false
   */
  readonly sharesResults?: boolean | undefined
  /**
   * How long a condition is waited for before it counts as *never*: that a store works again, closes, or releases what
   * it held. It is long, so that a slow machine fails no test.
   *
   * @default 60000
   */
  readonly patienceMs?: number | undefined
  /**
   * Deadline of the calls that the application makes in a case.
   *
   * @default patienceMs
   */
  readonly timeoutMs?: number | undefined
  /**
   * Random schedules of calls whose order is checked.
   *
   * @default 20
   */
  readonly schedules?: number | undefined
  /**
   * Every how many-th hostile key is taken: more than 1 where a request takes long, and another form took all.
   *
   * @default 1
   */
  readonly keyStep?: number | undefined
  /**
   * Topics to run, by title: for another form of a store that passes all of them. @see topicsOfValues, topicsOfClients
   *
   * @default all
   */
  readonly topics?: RegExp | undefined
  /** Remove what a store left behind. Called after each test with the closed store. */
  readonly discard?: ((store: Store<V>) => Awaitable<unknown>) | undefined
}

/** A clock that starts now, or at `startAt`, and moves by `advance` alone. */
export function testClock(startAt: number = Date.now()): TestClock {
  let now = startAt
  return Object.assign(() => now, {
    advance(ms: number) {
      now += ms
    },
  })
}
