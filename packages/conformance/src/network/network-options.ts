import type { Awaitable, Bytes, Capabilities, Store } from '@unikv/core'
import type { DescribeFunction, TestFunction } from '../options.ts'

/** The effect of a proxy in front of a server on the bytes; see `Fault` of `@unikv/test-kit`, which has these and more. */
export type NetworkFault =
  | { readonly kind: 'hold'; readonly side: 'request' | 'response' | 'both' }
  | { readonly kind: 'drip'; readonly side: 'request' | 'response' | 'both'; readonly bytesPerSecond: number }
  | { readonly kind: 'cut'; readonly side: 'request' | 'response'; readonly afterBytes: number }
  | { readonly kind: 'reset' }
  | { readonly kind: 'blackHole' }
  | { readonly kind: 'forget' }

/** A proxy that does harm on demand: `faultProxy(url)` of `@unikv/test-kit` is one. */
export interface NetworkProxy {
  /** The address of the server with this proxy's host and port in it. */
  readonly url: string
  /** Connections that are open now. */
  readonly connections: number
  /** Replace the fault in force; `struck` resolves when the new one first takes effect. */
  inject(fault: NetworkFault): { readonly struck: Promise<void> }
  /** Lift the fault. Held data is passed on. */
  pass(): void
  /** Reset all connections and stop listening. */
  close(): Promise<void>
}

/** Facts about the store under test that the network suite needs. */
export interface NetworkOptions<V = Bytes> {
  readonly test: TestFunction
  /** Without it the topic stands in front of each title. */
  readonly describe?: DescribeFunction | undefined
  /** A proxy of its own before the server. Called once a test; the suite closes it. */
  proxy(): Promise<NetworkProxy>
  /**
   * A store all of whose connections go to this address. Its dataset need not be empty: the suite uses keys of its own.
   * Called once a test; the suite closes it.
   */
  open(url: string, proxy: NetworkProxy): Awaitable<Store<V>>
  /** Another store over the dataset of this one, past the proxy: it sees what happened. The suite closes it. */
  direct(store: Store<V>): Awaitable<Store<V>>
  /** Value number `n`, made anew by each call; different numbers, different values. @default bytes */
  readonly value?: ((n: number) => V) | undefined
  /** @default those of a store that is opened (and closed) before the first test is registered */
  readonly capabilities?: Capabilities | undefined
  /** The store holds foreign bytes as they are, without versions. @default false */
  readonly foreign?: boolean | undefined
  /**
   * Kill the server behind the proxy and start it again; resolves when it answers. For servers of one's own.
   *
   * @default not tested
   */
  readonly restart?: (() => Promise<unknown>) | undefined
  /**
   * How long a condition is waited for before it counts as *never*: that a store works again, closes, or releases what
   * it held. It is long, so that a slow machine fails no test.
   *
   * @default 60000
   */
  readonly patienceMs?: number | undefined
  /**
   * Connections that were idle are asked before a call depends on them. `false` for a driver that cannot be made to: not
   * tested then.
   *
   * @default true
   */
  readonly asksIdleConnections?: boolean | undefined
  /** How often each fault is injected, for long proofs. @default 1 */
  readonly rounds?: number | undefined
  /** Seed of the random choices. @default 1 */
  readonly seed?: number | undefined
  /** Told of each test that passed, for the record of a proof. */
  readonly report?: ((counts: NetworkCounts) => void) | undefined
  /** Remove what a store left behind. Called after each test with the closed store. */
  readonly discard?: ((store: Store<V>) => Awaitable<unknown>) | undefined
}

/** The record of one test. */
export interface NetworkCounts {
  readonly store: string
  readonly title: string
  /** Replies that were lost after the effect. */
  readonly lostReplies: number
  /** Calls whose end was timed. */
  readonly timedCalls: number
  /** Longest time that a call ended after its deadline, without the lag of the event loop, in milliseconds. */
  readonly latestMs: number
}
