import { endedBy } from '../contract/call-errors.ts'
import type { Capabilities } from '../contract/capabilities.ts'
import type { Groups } from '../contract/groups.ts'
import type { StoreQuery } from '../contract/query.ts'
import type { ServerStatistics } from '../contract/statistics.ts'
import type {
  CallOptions,
  Found,
  Mutation,
  Page,
  Read,
  ReadResult,
  ScanRange,
  Store,
  WriteResult,
} from '../contract/store.ts'
import { AbortController } from '../platform/signals.ts'
import { closed } from './adapter-errors.ts'
import { attempt } from './attempt.ts'
import { OpenedGroups } from './groups/opened-groups.ts'
import { movingPages } from './moving-pages.ts'
import type { OpenedParts } from './opened-parts.ts'

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
  /** Only where the parts have it, and the capabilities say so. */
  declare readonly find?: (query: StoreQuery, call: CallOptions) => Promise<Found<V>>
  /** Only where the parts have it. */
  declare readonly together?: NonNullable<Store<V>['together']>
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
    if (parts.together !== undefined)
      this.together = async (changes, checks, call) => {
        const opened = this.#opening.ready ?? (await this.#opening.opened(call))
        return parts.together?.(opened, changes, checks, call)
      }
    if (parts.find !== undefined && parts.capabilities.find === true)
      this.find = async (query, call) => {
        const opened = this.#opening.ready ?? (await this.#opening.opened(call))
        return (parts.find as NonNullable<typeof parts.find>)(opened, query, call)
      }
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

/**
 * Opens once what a store needs before its first call (a driver, a connection, a look at the table). After a failure
 * the next call tries again. If it is not open by the deadline of a call, the call was certainly not sent.
 */
export class Opening<T> {
  /** The opened value, once there is one. */
  ready: T | undefined
  readonly #open: (closing: AbortSignal) => Promise<T>
  readonly #release: (opened: T) => Promise<unknown>
  readonly #stop = new AbortController()
  #opening: Promise<T> | undefined
  #closing: Promise<void> | undefined

  /**
   * `open` gets a signal that is aborted by `close`: a server that does not answer must not keep it waiting. `release`
   * gets what `open` resolved to, also when that comes after `close`.
   */
  constructor(open: (closing: AbortSignal) => Promise<T>, release: (opened: T) => Promise<unknown>) {
    this.#open = open
    this.#release = release
  }

  /**
   * Open, and wait for it no longer than the call does. Meanwhile the write is known as not sent
   * (`call.sent` is `false`, and as before once it is open).
   *
   * @throws {StoreError} `CLOSED`, `TIMEOUT`, `ABORTED`, and what `open` throws
   */
  async opened(call: CallOptions): Promise<T> {
    if (this.#closing !== undefined) throw closed()
    if (this.ready !== undefined) return this.ready
    const { sent = false } = call
    call.sent = false
    const opened = await attempt(call, false, () => this.open())
    // Merged calls: each may have been told meanwhile that nothing was sent.
    const end = endedBy(call, true)
    if (end !== undefined) throw end
    call.sent = sent
    return opened
  }

  /** Open, however long it takes. */
  open(): Promise<T> {
    if (this.#closing !== undefined) return Promise.reject(closed())
    this.#opening ??= this.#opened().catch((error: unknown) => {
      this.#opening = undefined
      throw this.#closing === undefined ? error : closed()
    })
    return this.#opening
  }

  /** Refuse what comes from now on, and release what was opened. Twice is fine. */
  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #opened(): Promise<T> {
    const opened = await this.#open(this.#stop.signal)
    if (this.#closing === undefined) this.ready = opened
    return opened
  }

  async #close(): Promise<void> {
    this.ready = undefined
    this.#stop.abort()
    const opened = await this.#opening?.catch(() => undefined)
    if (opened !== undefined) await this.#release(opened)
  }
}
