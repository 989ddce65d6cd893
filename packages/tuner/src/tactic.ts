import type { Json, KeyValue } from '@unikv/core'
import type { AnyManager, StoreConfiguration } from '@unikv/manager'
import type { ServerFeatures } from '@unikv/monitor/recorder'
import type { Factors, StoreWork, Work } from './observe/work.ts'

/** A way to make a store keep its promises: an index, a cache, another replica. */
export interface Tactic<Found = unknown> {
  /** Such as `add-index`. Policies of approval and the log name it so. */
  readonly name: string
  readonly knowledge: Knowledge
  /**
   * Whether it can be turned on and off within seconds, without a trace: then it is checked in turns, else beside its control.
   *
   * @default false
   */
  readonly canSwitch?: boolean | undefined
  /** Where it is carried out: once on the server, or by each process of the application. @default 'server' */
  readonly where?: 'server' | 'process' | undefined
  /** Longest time of `carryOut` and of `undo`, in milliseconds. */
  readonly limitMs: number
  /** Look at the server, for what its figures do not tell. Changes nothing. */
  look?(at: TunedStore, work: StoreWork): Promise<Found>
  /** Changes that it could make now, refused ones with their reason. Reads nothing. */
  applies(facts: Facts<Found>): readonly Candidate[]
  /** Make the change. Done twice it is done once; and it goes on with what another process has begun. */
  carryOut(change: Change, at: TunedStore): Promise<void>
  /** Take the change back. Nothing to take back is a success. */
  undo(change: Change, at: TunedStore): Promise<void>
  /** Whether the change is in effect. */
  isDone(change: Change, at: TunedStore): Promise<boolean>
}

/** All that tells one change from others, as plain data. */
export type Change = { readonly [name: string]: Json }

/** A store as a tactic reaches it. */
export interface TunedStore {
  /** In the manager. */
  readonly name: string
  /** Its product, such as `postgres`. */
  readonly kind: string
  /** Its table or collection, for a kind that has one. */
  readonly table: string
  readonly kv: KeyValue<string, unknown>
  readonly manager: AnyManager
  /** Aborts when the time of the tactic is over. */
  readonly signal: AbortSignal
}

/** All that is known of a store when a decision is made. */
export interface Facts<Found = unknown> {
  readonly store: string
  readonly kind: string
  readonly table: string
  readonly configuration: StoreConfiguration
  /** The load of the last 30 seconds. */
  readonly work: StoreWork
  /** How many processes this load is of. @default 1 */
  readonly processes?: number | undefined
  /** The server, if it tells of itself. */
  readonly server: ServerFeatures | undefined
  /** The answer of the tactic's own `look`. */
  readonly found: Found
}

/** A change that could be made, with what it would do. */
export interface Candidate {
  readonly change: Change
  /** The setting that it changes, such as `layer cache`. The latest change of a place counts. */
  readonly place?: string | undefined
  /** Completes the sentence “Proposed: …”: `an index on ip of table tx`. */
  readonly title: string
  /** Estimated latency after over latency before, of each operation and query that changes. */
  readonly latency?: Factors | undefined
  /** The same of a high percentile, where it differs: a cache leaves the slowest reads as they are. */
  readonly tail?: ((work: Work, percentile: number) => number | undefined) | undefined
  /** Estimated hit rate of reads after it. */
  readonly hitRate?: number | undefined
  /** Estimated share of errors after over before. */
  readonly errors?: number | undefined
  /** Estimated use of resources after over before. */
  readonly resources?: { readonly [resource: string]: number } | undefined
  /** How it is made here, after the price: `CREATE INDEX CONCURRENTLY, beside which reads and writes go on`. */
  readonly how?: string | undefined
  /** How long it takes to take effect. */
  readonly seconds: number
  /** Memory or disk that it takes. */
  readonly bytes?: number | undefined
  /** The figures that speak for it, the weightiest first. */
  readonly figures: readonly Figure[]
  /** A tactic that comes first. This one waits until that one cannot be done, would not help, or was tried. */
  readonly after?: string | undefined
  /** Why it cannot be done: a whole sentence. */
  readonly refused?: string | undefined
  /** It takes back what this tactic does. */
  readonly undoes?: { readonly tactic: string; readonly change: Change } | undefined
}

/** A number that decided, with its unit. */
export interface Figure {
  readonly name: string
  readonly value: number
  readonly unit: 'ms' | 's' | 'calls/s' | 'bytes' | 'share' | 'records' | 'times' | 'connections'
}

/** General knowledge of a tactic, before anything was measured here. */
export interface Knowledge {
  readonly effects: readonly Effect[]
  /** The price, in words: work, memory, risk. */
  readonly cost: string
  /** From where this is known. */
  readonly source: string
}

/** The sign and size of an effect. */
export interface Effect {
  readonly on: 'reads' | 'writes' | 'scans' | 'queries' | 'all'
  readonly of: 'throughput' | 'latency' | 'memory' | 'disk' | 'errors'
  /** After over before, from and to: below 1 is less. */
  readonly times: readonly [from: number, to: number]
}
