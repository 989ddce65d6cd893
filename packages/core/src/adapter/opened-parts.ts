import type { Capabilities } from '../contract/capabilities.ts'
import type { Groups } from '../contract/groups.ts'
import type { StoreQuery } from '../contract/query.ts'
import type { ServerStatistics } from '../contract/statistics.ts'
import type {
  CallOptions,
  Check,
  Found,
  Mutation,
  Page,
  Read,
  ReadResult,
  ScanRange,
  TogetherChange,
  WriteResult,
} from '../contract/store.ts'
import type { GroupFacts } from './groups/opened-groups.ts'

/** Groups of a store that are opened on first use. */
export interface OpenedGroupParts<T> extends GroupFacts {
  /** Open them, when the store is open. */
  open(opened: T): Promise<Groups>
}

/** Parts of a store that must open something before its first call: a driver, connections, a look at a table. */
export interface OpenedParts<V, T> {
  readonly name: string
  readonly dataset: string
  readonly capabilities: Capabilities
  /** The client that was handed in, or what opens one on first use. Read each time that the store is asked for it. */
  readonly native: unknown
  /** Opens what the verbs work with; after a failure the next call tries again. `close` aborts the signal. */
  open(closing: AbortSignal): Promise<T>
  /** Ends what was opened, also when that comes after `close`. */
  release?(opened: T): unknown
  /** Called when the store closes, at once: what it returns is waited for beside `release`. */
  closing?(): unknown
  /** Called at the end. */
  closed?(): unknown
  /** The verb `read` over what was opened. */
  read(opened: T, reads: readonly Read[], call: CallOptions): Promise<readonly ReadResult<V>[]>
  /** The verb `write`. */
  write(opened: T, mutations: readonly Mutation<V>[], call: CallOptions): Promise<readonly WriteResult[]>
  /** The method `together` of the store. */
  together?(
    opened: T,
    changes: readonly TogetherChange<V>[],
    checks: readonly Check[],
    call: CallOptions,
  ): Promise<boolean | undefined>
  /** The verb `scan`; its pages are checked (`movingPages`). */
  scan(opened: T, range: ScanRange, call: CallOptions): AsyncIterable<Page<V>>
  /** The verb `find` of a store that declares it. */
  find?(opened: T, query: StoreQuery, call: CallOptions): Promise<Found<V>>
  /** The method `statistics` of the store. */
  statistics?(opened: T, call: CallOptions): Promise<ServerStatistics>
  /** The groups of the store. `open` is called before their first use; after a failure the next use tries again. */
  readonly groups?: OpenedGroupParts<T> | undefined
}
