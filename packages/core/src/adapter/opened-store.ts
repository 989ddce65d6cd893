import type { Capabilities } from '../contract/capabilities.ts'
import type { Groups } from '../contract/groups.ts'
import type { ServerStatistics } from '../contract/statistics.ts'
import type {
  CallOptions,
  Mutation,
  Page,
  Read,
  ReadResult,
  ScanRange,
  Store,
  WriteResult,
} from '../contract/store.ts'
import { type GroupFacts, OpenedGroups } from './groups/opened-groups.ts'
import { movingPages } from './moving-pages.ts'
import { Opening } from './opening.ts'

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
  /** The verb `scan`; its pages are checked (`movingPages`). */
  scan(opened: T, range: ScanRange, call: CallOptions): AsyncIterable<Page<V>>
  /** The method `statistics` of the store. */
  statistics?(opened: T, call: CallOptions): Promise<ServerStatistics>
  /** The groups of the store. `open` is called before their first use; after a failure the next use tries again. */
  readonly groups?: OpenedGroupParts<T> | undefined
}

/** A store that can be opened before its first call. */
export interface OpenedStore<V> extends Store<V> {
  /** Open, however long it takes. */
  open(): Promise<unknown>
  /** Open the groups too. */
  openGroups(): Promise<unknown>
}

/**
 * A store of these parts. It opens with its first call, and waits for that no longer than the call does; what is not open
 * by then was certainly not sent.
 */
export function openedStore<V, T>(parts: OpenedParts<V, T>): OpenedStore<V> {
  return new Opened(parts)
}

/** Open a store and close it: all that `prepare…` of an adapter does. */
export async function openOnce(store: Pick<OpenedStore<never>, 'open' | 'close'>): Promise<void> {
  try {
    await store.open()
  } finally {
    await store.close()
  }
}

/** The same with its groups. */
export async function openGroupsOnce(store: Pick<OpenedStore<never>, 'openGroups' | 'close'>): Promise<void> {
  try {
    await store.openGroups()
  } finally {
    await store.close()
  }
}

class Opened<V, T> implements OpenedStore<V> {
  readonly name: string
  readonly dataset: string
  readonly capabilities: Capabilities
  /** Only where the parts have it. */
  declare readonly statistics?: (call: CallOptions) => Promise<ServerStatistics>
  readonly #parts: OpenedParts<V, T>
  /** Only where the parts have them. */
  declare readonly groups?: Groups
  readonly #opening: Opening<T>
  readonly #openingGroups: Opening<Groups> | undefined

  constructor(parts: OpenedParts<V, T>) {
    this.name = parts.name
    this.dataset = parts.dataset
    this.capabilities = parts.capabilities
    this.#parts = parts
    this.#opening = new Opening(
      (closing) => parts.open(closing),
      async (opened) => parts.release?.(opened),
    )
    this.#openingGroups = parts.groups && openingOf(parts.groups, this.#opening)
    if (parts.groups !== undefined && this.#openingGroups !== undefined)
      this.groups = new OpenedGroups(parts.groups, this.#openingGroups)
    if (parts.statistics !== undefined)
      this.statistics = async (call) => {
        const opened = this.#opening.ready ?? (await this.#opening.opened(call))
        return (await parts.statistics?.(opened, call)) ?? {}
      }
  }

  get native(): unknown {
    return this.#parts.native
  }

  read(reads: readonly Read[], call: CallOptions): Promise<readonly ReadResult<V>[]> {
    const { ready } = this.#opening
    return ready === undefined
      ? this.#opening.opened(call).then((opened) => this.#parts.read(opened, reads, call))
      : this.#parts.read(ready, reads, call)
  }

  write(mutations: readonly Mutation<V>[], call: CallOptions): Promise<readonly WriteResult[]> {
    const { ready } = this.#opening
    return ready === undefined
      ? this.#opening.opened(call).then((opened) => this.#parts.write(opened, mutations, call))
      : this.#parts.write(ready, mutations, call)
  }

  async *scan(range: ScanRange, call: CallOptions): AsyncGenerator<Page<V>> {
    const opened = this.#opening.ready ?? (await this.#opening.opened(call))
    const { scan } = this.capabilities
    const isOrdered = scan !== false && scan.order === 'bytes'
    yield* movingPages(this.name, isOrdered, range, this.#parts.scan(opened, range, call))
  }

  open(): Promise<unknown> {
    return this.#opening.open()
  }

  async openGroups(): Promise<unknown> {
    return this.#openingGroups?.open()
  }

  async close(): Promise<void> {
    await Promise.all([this.#parts.closing?.(), this.#openingGroups?.close(), this.#opening.close()])
    await this.#parts.closed?.()
  }
}

function openingOf<T>(
  groups: NonNullable<OpenedParts<never, T>['groups']>,
  store: Opening<T>,
): Opening<Groups> {
  return new Opening(
    async () => groups.open(await store.open()),
    async () => {},
  )
}
