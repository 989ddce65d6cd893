import {
  type AnyStore,
  type Bytes,
  type CallOptions,
  type ErrorCode,
  isStoreError,
  isWritten,
  type Mutation,
  newVersion,
  type ScanEntry,
  type Store,
  type StoreError,
  toStoreError,
  type WriteResult,
} from '@unikv/core'
import { bounded, callOptions, holdStore, namespacePrefix, releaseStore } from '@unikv/core/adapter'
import { AbortController, performance } from '@unikv/core/platform'
import { Turns } from '../turns.ts'
import { decodeJournalRecord, encodeJournalRecord, type Sum } from './journal-record.ts'
import type { WriteBehindSettings } from './options.ts'
import type { Change } from './queued.ts'
import type { Counters } from './stats.ts'

/** Errors of a record that no second look would mend. */
const unreadable: ReadonlySet<ErrorCode> = new Set(['CORRUPT', 'AUTHENTICATION_FAILED', 'UNKNOWN_KEY_ID'])
const pageSize = 100

/** What Node.js has at hand for records; loaded when a journal is opened. */
export interface Digests {
  readonly sum: Sum
  /** 43 characters that stand for a key of a dataset. */
  readonly nameOf: (dataset: string, key: string) => string
}

/** What a journal needs to know. */
export interface JournalSettings
  extends Pick<WriteBehindSettings, 'namespace' | 'timeoutMs' | 'givenJournal'> {
  /** Whose writes it holds. */
  readonly dataset: string
}

/**
 * Acknowledged writes in another store: of each key the newest, in a record whose name is a hash of the dataset and the
 * key, so that keys of any length fit and two datasets never meet. All that is done to the record of one key is done one after the other.
 */
export class Journal {
  readonly #store: Store<Bytes>
  /** Another stack may have been given the same one. */
  readonly #given: AnyStore
  readonly #prefix: string
  readonly #settings: JournalSettings
  readonly #counters: Counters
  readonly #level: string | undefined
  readonly #turns = new Turns()
  /** Keys whose records are of no use any more, and could not be removed. */
  readonly #leftovers = new Set<string>()
  readonly #stop = new AbortController()
  #digests: Digests | undefined

  constructor(store: Store<Bytes>, settings: JournalSettings, counters: Counters) {
    this.#store = store
    this.#prefix = namespacePrefix([settings.namespace])
    this.#settings = settings
    this.#counters = counters
    this.#given = settings.givenJournal ?? store
    holdStore(this.#given)
    const { isolation, consistency } = store.capabilities
    this.#level = isolation !== 'linearizable' && consistency.includes('strong') ? 'strong' : undefined
  }

  /**
   * What an earlier process left. Records that cannot be read are counted, and left where they are.
   *
   * @throws {StoreError} of the store
   */
  async load(signal: AbortSignal): Promise<readonly Change[]> {
    this.#digests ??= await digests()
    const call = callOptions({ signal, consistency: this.#level })
    const found: Change[] = []
    let refused = 0
    for await (const page of this.#store.scan({ prefix: this.#prefix, pageSize, values: true }, call))
      for (const item of page.entries) {
        const change = this.#changeOf(item)
        if (change === undefined) refused++
        else found.push(change)
      }
    this.#counters.refused += refused
    if (refused > 0)
      process.emitWarning(
        `${refused} records of the journal could not be read, or are of another dataset, so the writes in them are not in the store. They are left where they are. This dataset is ${this.#settings.dataset}; if its store has moved, give writeBehind({ dataset }) the former name.`,
        { code: 'UNIKV_JOURNAL' },
      )
    return found
  }

  /**
   * Write changes of different keys, when earlier work on these has ended. `kept` is called before later work, with
   * those that are in the journal. Never rejects.
   */
  put(
    changes: readonly Change[],
    begin: () => StoreError | undefined,
    kept: (change: Change) => unknown,
  ): Promise<readonly (StoreError | undefined)[]> {
    const keys = changes.map(({ key }) => key)
    return this.#turns.take(keys, async () => {
      const refusal = begin()
      if (refusal !== undefined) return changes.map(() => refusal)
      const { sum } = this.#loaded
      const results = await this.#write(
        changes.map((change) => ({
          type: 'set',
          key: this.#keyOf(change.key),
          version: change.version,
          value: encodeJournalRecord(change, sum),
        })),
      )
      return changes.map((change, i) => this.#outcome(change, results[i] as WriteResult, kept))
    })
  }

  /** Remove the records of these keys, but those for which `isNeeded`. What fails is tried again with the next ones. */
  async remove(keys: readonly string[], isNeeded: (key: string) => boolean): Promise<void> {
    const all = Array.from(new Set([...keys, ...this.#leftovers]))
    if (all.length === 0) return
    for (const key of all) this.#leftovers.delete(key)
    await this.#turns.take(all, async () => {
      const unneeded = all.filter((key) => !isNeeded(key))
      if (unneeded.length === 0) return
      const results = await this.#write(
        unneeded.map((key) => ({ type: 'delete', key: this.#keyOf(key), version: newVersion() })),
      )
      unneeded.forEach((key, i) => {
        if (!isWritten(results[i] as WriteResult)) this.#leftovers.add(key)
      })
    })
  }

  /** End what is under way, and begin nothing more. */
  giveUp(): void {
    this.#stop.abort()
  }

  /** Resolves when nothing is under way. */
  ended(): Promise<void> {
    return this.#turns.ended()
  }

  close(): Promise<void> {
    return releaseStore(this.#given)
  }

  #outcome(change: Change, result: WriteResult, kept: (change: Change) => unknown): StoreError | undefined {
    if (!isStoreError(result)) {
      kept(change)
      return undefined
    }
    // The record may be there all the same.
    if (result.code === 'OUTCOME_UNKNOWN') this.#leftovers.add(change.key)
    return result
  }

  /** Write within `timeoutMs`. The failure of a write as a whole is that of each item. */
  async #write(mutations: readonly Mutation<Bytes>[]): Promise<readonly WriteResult[]> {
    const deadlineAt = performance.now() + this.#settings.timeoutMs
    const call: CallOptions = callOptions({ deadlineAt, signal: this.#stop.signal })
    try {
      return await bounded(
        call,
        true,
        async () => this.#store.write(mutations, call),
        () => {
          call.settled = true
        },
      )
    } catch (error) {
      const code = call.sent === true ? 'OUTCOME_UNKNOWN' : 'UNAVAILABLE'
      const failure = toStoreError(error, { code, store: this.#store.name })
      return mutations.map(() => failure)
    }
  }

  /** The change of a record, if it is one and lies where it belongs. */
  #changeOf({ key, entry }: ScanEntry<Bytes>): Change | undefined {
    if (isStoreError(entry)) {
      if (unreadable.has(entry.code)) return undefined
      throw entry
    }
    if (entry === undefined) return undefined
    try {
      const change = decodeJournalRecord(entry.value, this.#loaded.sum)
      return this.#keyOf(change.key) === key ? change : undefined
    } catch {
      return undefined
    }
  }

  #keyOf(key: string): string {
    return this.#prefix + this.#loaded.nameOf(this.#settings.dataset, key)
  }

  get #loaded(): Digests {
    return this.#digests as Digests
  }
}

/** Imported late: not every program has a journal. */
async function digests(): Promise<Digests> {
  const [{ createHash }, { crc32 }] = await Promise.all([import('node:crypto'), import('node:zlib')])
  return {
    sum: (bytes) => crc32(bytes),
    nameOf: (dataset, key) =>
      createHash('sha256')
        .update(JSON.stringify([dataset, key]))
        .digest('base64url'),
  }
}
