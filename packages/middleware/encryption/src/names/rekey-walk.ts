import {
  type Bytes,
  type CallOptions,
  type Entry,
  isConditionFailed,
  isEntry,
  isNotModified,
  isStoreError,
  type Mutation,
  newVersion,
  type ReadResult,
  type ScanEntry,
  type Store,
  StoreError,
  type Version,
} from '@unikv/core'
import { callOptions, heard, isUserKey } from '@unikv/core/adapter'
import { envelopesIn, mayPass } from '../envelope/batches.ts'
import { isEnvelope } from '../envelope/envelope.ts'
import type { OpenNamed } from '../envelope/opener.ts'
import { strongLevel } from '../strong-level.ts'
import type { Vault } from '../vaults/vault.ts'
import { markerKey } from './marker.ts'
import type { Naming } from './naming.ts'
import type { RekeyOptions, RekeyProgress, RekeyReport } from './rekey-options.ts'

/** Parts of a walk. */
export interface WalkParts {
  readonly from: Naming
  readonly to: Naming
  readonly vault: Vault
  readonly options: RekeyOptions
  /** Rejects when another rekey has taken over. Asked before each write. */
  readonly checkTurn: () => Promise<void>
}

/** A record under its old name, or a copy of one under its new name. */
interface Found {
  readonly stored: string
  /** Where the other of the two lies. */
  readonly other: string
  readonly key: string
  readonly isOld: boolean
  readonly entry: Entry<Bytes>
}

/** A record, and what lies where the other of the two does. */
interface Pair {
  readonly found: Found
  readonly other: ReadResult<Bytes>
}

/** Walks through all records of a dataset. Until it is handed over, the records under old names are what counts. */
export class RekeyWalk {
  readonly #store: Store<Bytes>
  readonly #parts: WalkParts
  readonly #isConditional: boolean
  /** Why a record of the last walk did not open. */
  firstError: StoreError | undefined
  #passes = 0
  #seen = 0
  #changes = 0
  #removed = 0
  #unreadable = 0
  #stragglers = 0

  constructor(store: Store<Bytes>, parts: WalkParts) {
    this.#store = store
    this.#parts = parts
    this.#isConditional = store.capabilities.conditionalWrite
  }

  get report(): Omit<RekeyReport, 'finished'> {
    return {
      passes: this.#passes,
      changes: this.#changes,
      removed: this.#removed,
      unreadable: this.#unreadable,
      stragglers: this.#stragglers,
    }
  }

  /** Make every copy like its record, and take back those whose record is gone. Returns how many were not right. */
  async copy(step: 'copy' | 'close'): Promise<number> {
    const before = this.#changes
    for await (const page of this.#pages(step)) {
      const others = await this.#others(page)
      await this.#write(await this.#changesOf(page, others))
    }
    return this.#changes - before
  }

  /** Remove records under old names. Those that were written there after the dataset was handed over are left. */
  async removeOld(handedOver: Version): Promise<void> {
    this.#stragglers = 0
    for await (const page of this.#pages('remove')) {
      const old = page.filter(({ isOld }) => isOld)
      const others = await this.#others(old)
      const going = old.filter(
        ({ entry }, i) => String(entry.version) <= handedOver || versionOf(others[i]) === entry.version,
      )
      const results = await this.#apply(going.map((found) => this.#removal(found)))
      const left = results.filter((result) => !result).length
      this.#removed += going.length - left
      this.#stragglers += old.length - going.length + left
    }
  }

  async *#pages(step: RekeyProgress['step']): AsyncGenerator<readonly Found[]> {
    const { pageSize = 100, onProgress } = this.#parts.options
    this.#passes += 1
    this.#seen = 0
    this.#unreadable = 0
    this.firstError = undefined
    for await (const { entries } of this.#store.scan({ prefix: '', pageSize, values: true }, this.#call())) {
      this.#seen += entries.length
      yield await this.#parts.vault.openedNamed(
        () => envelopesIn({ entries }),
        this.#call(),
        (open) => entries.flatMap((listed) => this.#found(listed, open) ?? []),
      )
      const { unreadable: _, stragglers: __, ...numbers } = this.report
      heard(onProgress?.({ step, seen: this.#seen, ...numbers }))
    }
  }

  #found({ key: stored, entry }: ScanEntry<Bytes>, open: OpenNamed): Found | undefined {
    if (entry === undefined || stored === markerKey) return undefined
    try {
      if (isStoreError(entry)) throw entry
      // Internal records of layers below.
      if (!isUserKey(stored) && !isEnvelope(entry.value)) return undefined
      const { key } = open(stored, entry.value)
      const [old, fresh] = [this.#parts.from.stored(key), this.#parts.to.stored(key)]
      if (stored === old) return { stored, other: fresh, key, isOld: true, entry }
      if (stored === fresh) return { stored, other: old, key, isOld: false, entry }
      return undefined
    } catch (error) {
      // A record that may open another time is not left behind.
      if (!isStoreError(error) || mayPass(error)) throw error
      this.#unreadable += 1
      this.firstError ??= error
      return undefined
    }
  }

  async #others(page: readonly Found[]): Promise<readonly ReadResult<Bytes>[]> {
    if (page.length === 0) return []
    const reads = page.map(({ other }) => ({ key: other, head: true }))
    const call = { ...this.#call(), consistency: strongLevel(this.#store) }
    const results = await this.#store.read(reads, call)
    const failed = results.find(isStoreError)
    if (failed !== undefined) throw failed
    return results
  }

  async #changesOf(
    page: readonly Found[],
    others: readonly ReadResult<Bytes>[],
  ): Promise<readonly Mutation<Bytes>[]> {
    if (page.some(({ entry }) => entry.version === undefined))
      throw new StoreError(
        'UNSUPPORTED',
        'A rekey needs records with versions, which this store does not keep.',
      )
    const pairs = page.map((found, i) => ({ found, other: others[i] }))
    const orphans = pairs.filter(({ found, other }) => !found.isOld && !isThere(other))
    const copies = pairs.filter(({ found, other }) => found.isOld && !isCopy(other, found.entry))
    return [...orphans.map(({ found }) => this.#removal(found)), ...(await this.#copies(copies))]
  }

  /** With one data key for all, where it is one. */
  async #copies(pairs: readonly Pair[]): Promise<readonly Mutation<Bytes>[]> {
    const { vault } = this.#parts
    const values = await vault.openedNamed(
      () => pairs.map(({ found }) => found.entry.value),
      this.#call(),
      (open) => pairs.map(({ found }) => open(found.stored, found.entry.value).value),
    )
    const size = { messages: values.length, bytes: values.reduce((sum, { length }) => sum + length, 0) }
    return vault.sealed(
      () => size,
      this.#call(),
      (seal) =>
        pairs.map(({ found, other }, i) => ({
          type: 'set',
          key: found.other,
          value: seal(found.other, values[i] as Bytes, found.key),
          version: found.entry.version as Version,
          expiresAt: found.entry.expiresAt,
          ifVersion: this.#isConditional ? (versionOf(other) ?? null) : undefined,
        })),
    )
  }

  #removal({ stored, entry }: Found): Mutation<Bytes> {
    const ifVersion = this.#isConditional ? entry.version : undefined
    return { type: 'delete', key: stored, version: newVersion(), ifVersion }
  }

  async #write(mutations: readonly Mutation<Bytes>[]): Promise<void> {
    await this.#apply(mutations)
    this.#changes += mutations.length
  }

  /** Whether each took effect; somebody else changed the record of those that did not. */
  async #apply(mutations: readonly Mutation<Bytes>[]): Promise<readonly boolean[]> {
    if (mutations.length === 0) return []
    await this.#parts.checkTurn()
    const results = await this.#store.write(mutations, this.#call())
    const failed = results.find(isStoreError)
    if (failed !== undefined) throw failed
    return results.map((result) => !isConditionFailed(result))
  }

  #call(): CallOptions {
    const { signal } = this.#parts.options
    return signal === undefined ? callOptions() : callOptions({ signal })
  }
}

function isThere(result: ReadResult<Bytes>): result is Exclude<ReadResult<Bytes>, StoreError | undefined> {
  return isEntry(result) || isNotModified(result)
}

function versionOf(result: ReadResult<Bytes>): Version | undefined {
  return isThere(result) ? result.version : undefined
}

/** Whether a copy is as its record; the value is then, too. */
function isCopy(copy: ReadResult<Bytes>, { version, expiresAt }: Entry<Bytes>): boolean {
  return isThere(copy) && copy.version === version && copy.expiresAt === expiresAt
}
