import type { Awaitable, Bytes, Feature, KeyValue } from '@unikv/core'
import type { KeyLaw } from '../keys/key-law.ts'
import type { KeyNames } from '../keys/key-space.ts'
import type { LoopClock } from '../loop/clock.ts'
import type { OperationName } from '../operations/mix.ts'
import type { LengthLaw } from '../values/length-law.ts'

/** Records and random numbers of the workload, for own operations. */
export interface OwnContext {
  /** The records. Names of keys that the workload does not give are free for records of your own. */
  readonly kv: KeyValue<string, Bytes>
  /** The number of a record, by the workload's law of keys. */
  readonly draw: () => number
  /** The key of a record, by its number. */
  readonly keyOf: (number: number) => string
  /** The next value for a record, by its number, with a length by the workload's law. */
  readonly valueOf: (number: number) => Bytes
  /** A number from 0 up to 1, from the run's own stream. */
  readonly random: () => number
  /** The answer of an operation that did not find what it looked for: it counts apart, as a miss. */
  readonly miss: symbol
  /** The answer of an operation that lost against another one: it counts apart, as a conflict. */
  readonly conflict: symbol
  /** The answer of a read that does not show a write which had ended before it began: it counts apart, as stale. For operations with `tellsStale`. */
  readonly stale: symbol
}

/** A caller that does own operations, one at a time. */
export interface OwnCaller {
  /** From 0 upwards within one thread and run. */
  readonly index: number
  /** The records. */
  readonly kv: KeyValue<string, Bytes>
  /** A number from 0 up to 1, from the run's own stream. */
  readonly random: () => number
}

/** A store that `setup` and `teardown` of a workload prepare and clean up. */
export interface OwnPlace {
  /** The name of the store in the result. */
  readonly store: string
  /** The records. */
  readonly kv: KeyValue<string, Bytes>
  /** The key of a record, by its number. */
  readonly keyOf: (number: number) => string
  /** How many records there are, and the number of the first one. */
  readonly records: number
  readonly firstRecord: number
  /** Aborted when the run must end early. */
  readonly signal: AbortSignal
}

/** An operation of your own. */
export interface OwnOperation<S> {
  /** How often it is done, compared with the others: 0 or more. */
  readonly weight: number
  /** Features that the store must have; other stores are refused before anything is sent. @default none */
  readonly needs?: readonly Feature[] | undefined
  /**
   * It compares what it read with the writes that had ended, and answers `context.stale` where one is missing. Figures of stale reads are about the
   * answers of such operations alone. @default false
   */
  readonly tellsStale?: boolean | undefined
  /**
   * Do it once. It counts as done when what is returned has settled: a rejection is a failure, `context.miss`,
   * `context.conflict` and `context.stale` count apart, and any other answer is a success.
   */
  readonly run: (context: OwnContext, state: S) => Awaitable<unknown>
}

/** A part of a run on the same records, with what differs from the run. */
export interface OwnPhase {
  /** Letters, digits, - and _. */
  readonly name: string
  /** It is not counted. @default false */
  readonly warmup?: boolean | undefined
  /** Operations by weight, or text such as `read=80,update=20`. @default that of the workload */
  readonly mix?: Readonly<Record<string, number>> | string | undefined
  /** Callers that each wait for their answer. @default those of the run */
  readonly concurrency?: number | undefined
  /** Operations a second, also in stages such as `100..1000/30s`. @default that of the run */
  readonly rate?: number | string | undefined
  /** Such as `30s`; a number is seconds. @default that of the run */
  readonly duration?: number | string | undefined
  /** Most operations. @default those of the run */
  readonly operations?: number | undefined
}

/** A run whose operations are chosen by the state of sessions. */
export interface OwnSessionsRun {
  /** The records. */
  readonly kv: KeyValue<string, Bytes>
  /** Callers of all threads and machines together. */
  readonly callers: number
  /** The part of this thread. */
  readonly share: { readonly index: number; readonly of: number }
  readonly seed: number
  readonly clock: LoopClock
}

/** Sessions that choose operations. */
export interface OwnSessions<S> {
  /**
   * Wait until an operation may begin; a caller waits for it outside of any operation's time.
   *
   * @param ended aborted when no operation begins any more: all waits must end then
   * @returns whether there is one; `false` is the end for this caller
   */
  ready(ended: AbortSignal): Awaitable<boolean>
  /** The next operation, after `ready`, and the state that it works with. */
  next(): { readonly operation: string; readonly state: S }
  /** The run is over. */
  end?(): void
}

/** A workload with operations of your own. Lengths and laws may be written as on the command line, such as `1K` or `zipfian`. */
export interface OwnWorkload<S> {
  /** @default the name of the file */
  readonly name?: string | undefined
  /** @default 10000 */
  readonly records?: number | undefined
  /** The number of the first record. @default 0 */
  readonly firstRecord?: number | undefined
  /** Built-in operations by weight. @default none */
  readonly mix?: Readonly<Partial<Record<OperationName, number>>> | undefined
  /** The law of keys. @default 'zipfian' */
  readonly keys?: KeyLaw | string | undefined
  readonly keyNames?: Partial<KeyNames> | undefined
  /** Bytes of values. @default 1000 */
  readonly values?: LengthLaw | string | number | undefined
  /** Records of a scan. @default as in YCSB */
  readonly scan?: LengthLaw | string | number | undefined
  /** Records of a batch. @default 10 */
  readonly batch?: number | undefined
  /** Compare what built-in reads return with what was written. @default false */
  readonly check?: boolean | undefined
  /** Parts of a run, which follow each other. @default one part */
  readonly phases?: readonly OwnPhase[] | undefined
  /** Own operations by name: letters, digits, - and _, and not the name of a built-in one. */
  readonly operations?: Readonly<Record<string, OwnOperation<S>>> | undefined
  /** Called once for each store when its records are there, before anything is measured. */
  readonly setup?: ((place: OwnPlace) => Awaitable<unknown>) | undefined
  /** Called once for each store when it was measured, before its records are deleted; also after a failure. */
  readonly teardown?: ((place: OwnPlace) => Awaitable<unknown>) | undefined
  /**
   * The state of a caller, made anew for each run. As many are made as operations are under way at one time; two at the
   * same time never share one.
   */
  readonly state?: ((caller: OwnCaller) => Awaitable<S>) | undefined
  /**
   * Sessions that choose operations by their state, in the place of weights, anew for each run and thread: those of `@unikv/bench/session`.
   * A run of them has no rate.
   */
  readonly sessions?: ((run: OwnSessionsRun) => Awaitable<OwnSessions<S>>) | undefined
}

/**
 * A workload for `unikv bench run --workload FILE`: the default export of that file. It only gives types; a plain object is
 * taken as well.
 *
 * ```ts
 * export default defineWorkload({
 *   records: 1_000,
 *   mix: { update: 20 },
 *   operations: {
 *     profile: { weight: 80, run: async ({ kv, keyOf, draw, miss }) => (await kv.get(keyOf(draw()))) ?? miss },
 *   },
 * })
 * ```
 */
export function defineWorkload<S = undefined>(workload: OwnWorkload<S>): OwnWorkload<S> {
  return workload
}
