import {
  type CallSettings,
  type Capabilities,
  isStoreError,
  type Read,
  type ReadResult,
  type ScanRange,
  StoreError,
  type WriteResult,
} from '@unikv/core'
import { isUserKey, type NewChange, namespacePrefix, userKey } from '@unikv/core/adapter'
import { performance } from '@unikv/core/platform'
import { mostListed } from '../protocol/headers.ts'
import { demandKey } from './access.ts'
import type { Asked } from './request.ts'
import { Room } from './room.ts'

/** Keys that a dialect without pages lists, at most. */
const mostKeys = 100_000

/** A record that was found. */
export type Found = Exclude<ReadResult<unknown>, StoreError>

/** The outcome of a change. */
export type Change = Exclude<WriteResult, StoreError>

/**
 * One request of a dialect: several calls within one deadline, on the keys that its caller may use. Such a dialect has no namespaces,
 * so the keys of a caller that is limited to one are those of this namespace.
 */
export class Session {
  readonly asked: Asked
  /** For the replies of all its commands. */
  readonly room: Room
  readonly #endsAt: number
  readonly #namespace: readonly string[]

  constructor(asked: Asked) {
    this.asked = asked
    this.room = new Room(asked.limits.maxBodyBytes)
    this.#endsAt = performance.now() + asked.limits.maxTimeoutMs
    this.#namespace = asked.access.namespace ?? []
  }

  get capabilities(): Capabilities {
    return this.asked.served.records.store.capabilities
  }

  /** The canonical key of a key. @throws {Refused} if its caller may not use it */
  canonical(key: unknown): string {
    const canonical = this.asked.served.canonical(key, this.#namespace)
    demandKey(this.asked.access, canonical)
    return canonical
  }

  /** @throws {StoreError} the first that a read told */
  async read(reads: readonly Read[], consistency?: string): Promise<readonly Found[]> {
    const results = await this.asked.served.records.read(reads, { ...this.settings(), consistency })
    return results.map((result) => {
      if (isStoreError(result)) throw result
      return result
    })
  }

  /** @throws {StoreError} the first that a change told */
  async write(changes: readonly NewChange[]): Promise<readonly Change[]> {
    const results = await this.asked.served.records.write(changes, this.settings())
    return results.map((result) => {
      if (isStoreError(result)) throw result
      return result
    })
  }

  /** As `write`, of one change. */
  async writeOne(change: NewChange): Promise<Change> {
    return (await this.write([change]))[0] as Change
  }

  /** A page of the keys that begin so and that the caller may use, and where the next one begins. */
  async page(
    prefix: string,
    resume: string | undefined,
    pageSize: number,
  ): Promise<{ readonly keys: readonly string[]; readonly resume: string | undefined }> {
    const range = this.rangeOf(prefix, pageSize)
    if (range === undefined) return { keys: [], resume: undefined }
    const page = await this.asked.served.records.page({ ...range, resume }, this.settings())
    const own = namespacePrefix(this.#namespace)
    const keys = page.entries.map(({ key }) => (isUserKey(key) ? userKey(own, key) : undefined))
    return { keys: keys.filter((key) => key !== undefined), resume: page.resume }
  }

  /** All such keys. @throws {StoreError} `UNSUPPORTED` if they are too many for a dialect without pages */
  async keys(prefix: string): Promise<readonly string[]> {
    const found = new Set<string>()
    let resume: string | undefined
    do {
      const page = await this.page(prefix, resume, mostListed)
      for (const key of page.keys) found.add(key)
      if (found.size > mostKeys)
        throw new StoreError('UNSUPPORTED', `There are more than ${mostKeys} keys. List them in pages.`)
      resume = page.resume
    } while (resume !== undefined)
    return [...found]
  }

  /** Delete all such keys. */
  async clear(prefix: string): Promise<void> {
    const { maxItems } = this.capabilities.batch
    let resume: string | undefined
    do {
      const page = await this.page(prefix, resume, Math.min(mostListed, maxItems))
      const changes = page.keys.map((key): NewChange => ({ type: 'delete', key: this.canonical(key) }))
      if (changes.length > 0) await this.write(changes)
      resume = page.resume
    } while (resume !== undefined)
  }

  /** The range of the keys that begin so and that the caller may use; `undefined`: there are none. */
  rangeOf(prefix: string, pageSize: number): ScanRange | undefined {
    const { prefix: own = '' } = this.asked.access
    if (!prefix.startsWith(own) && !own.startsWith(prefix)) return undefined
    const named = prefix.length > own.length ? prefix : own
    const canonical =
      named === '' ? namespacePrefix(this.#namespace) : this.asked.served.canonical(named, this.#namespace)
    const paging = { prefix: canonical, pageSize, values: false }
    const { scan } = this.capabilities
    // Records that layers keep stand before those of users.
    return canonical === '' && scan !== false && scan.order === 'bytes'
      ? { ...paging, gte: '\u0002' }
      : paging
  }

  /** @throws {StoreError} `TIMEOUT` once there is no time left */
  demandTime(): void {
    if (performance.now() < this.#endsAt) return
    throw new StoreError('TIMEOUT', 'The command took longer than this server lets one take.')
  }

  /** The rest of the time. */
  settings(): CallSettings {
    return { timeoutMs: Math.max(1, this.#endsAt - performance.now()) }
  }
}
