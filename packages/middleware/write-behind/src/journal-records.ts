import {
  type Bytes,
  type CallOptions,
  type ErrorCode,
  isStoreError,
  isWritten,
  type Mutation,
  newVersion,
  type ScanEntry,
  type Store,
  toStoreError,
  type WriteResult,
} from '@unikv/core'
import { bounded, callOptions, namespacePrefix, writeResults } from '@unikv/core/adapter'
import { AbortController, performance } from '@unikv/core/platform'
import { Doubts, type Target } from './doubts.ts'
import { decodeJournalRecord, encodeJournalRecord, type Guard, type Sum } from './journal-record.ts'
import type { WriteBehindSettings } from './options.ts'
import type { Change } from './queued.ts'

/** Errors of a record that no second look would mend. */
const unreadable: ReadonlySet<ErrorCode> = new Set(['CORRUPT', 'AUTHENTICATION_FAILED', 'UNKNOWN_KEY_ID'])
const pageSize = 100
/** Most records that are removed in one call. */
const mostAtOnce = 100
/** Name of a record, and its generation if that is not 0. */
const recordName = /^([\w-]{43})(?:\.(\d{1,8}))?$/

/** Digests that Node.js has at hand; loaded when a journal is opened. */
export interface Digests {
  readonly sum: Sum
  /** 43 characters that stand for a key of a dataset. */
  readonly nameOf: (dataset: string, key: string) => string
}

/** Settings of a journal. */
export interface JournalSettings
  extends Pick<
    WriteBehindSettings,
    'namespace' | 'timeoutMs' | 'doubtMs' | 'maxQueuedBytes' | 'givenJournal'
  > {
  /** The dataset whose writes it holds. */
  readonly dataset: string
}

/** The newest record of a key that an earlier process left. */
interface Found {
  readonly item: ScanEntry<Bytes>
  readonly generation: number
}

/** Writes that an earlier process left. */
export interface Left {
  readonly changes: readonly Change[]
  /** Records that cannot be read, or are of another dataset. */
  readonly refused: number
}

/** The records of a journal in its store, by key and generation, and what may come late to them. */
export class JournalRecords {
  readonly doubts: Doubts
  readonly #store: Store<Bytes>
  readonly #prefix: string
  readonly #settings: JournalSettings
  readonly #level: string | undefined
  readonly #stop = new AbortController()
  #digests: Digests | undefined

  /** @param ended Told of keys to which less may come late than before. */
  constructor(store: Store<Bytes>, settings: JournalSettings, ended: (keys: readonly string[]) => unknown) {
    this.#store = store
    this.#prefix = namespacePrefix([settings.namespace])
    this.#settings = settings
    this.doubts = new Doubts(settings, ended)
    const { isolation, consistency } = store.capabilities
    this.#level = isolation !== 'linearizable' && consistency.includes('strong') ? 'strong' : undefined
  }

  /**
   * Read the newest record of each key.
   *
   * @throws {StoreError} of the store
   */
  async load(signal: AbortSignal): Promise<Left> {
    this.#digests ??= await digests()
    const call = callOptions({ signal, consistency: this.#level })
    const newest = new Map<string, Found>()
    let refused = 0
    for await (const page of this.#store.scan({ prefix: this.#prefix, pageSize, values: true }, call))
      for (const item of page.entries) if (!isNoted(newest, item, this.#prefix.length)) refused++
    const changes: Change[] = []
    for (const [name, one] of newest) {
      const record = this.#adopted(name, one)
      if (record === undefined) refused++
      else if (record.type !== 'guard') changes.push(record)
    }
    return { changes, refused }
  }

  /** Write the next records of these keys. Never rejects. */
  async set(records: readonly (Change | Guard)[]): Promise<readonly WriteResult[]> {
    const { sum } = this.#loaded
    const targets = records.map(({ key }) => this.target(key))
    const results = await this.#write(
      targets,
      records.map((record, i) => ({
        type: 'set',
        key: this.#recordKey(targets[i] as Target),
        version: record.version,
        value: encodeJournalRecord(record, sum),
      })),
    )
    targets.forEach((target, i) => {
      if (!isStoreError(results[i])) this.doubts.hold(target, records[i]?.type === 'guard')
    })
    return results
  }

  /** Remove records; what is left of them. Never rejects. */
  async delete(targets: readonly Target[]): Promise<readonly Target[]> {
    const left: Target[] = []
    for (let i = 0; i < targets.length; i += mostAtOnce) {
      const some = targets.slice(i, i + mostAtOnce)
      const deletes = some.map(
        (target) => ({ type: 'delete', key: this.#recordKey(target), version: newVersion() }) as const,
      )
      const results = await this.#write(some, deletes)
      left.push(...some.filter((_, at) => !isWritten(results[at] as WriteResult)))
    }
    return left
  }

  /** End what is under way, and begin nothing more. */
  giveUp(): void {
    this.#stop.abort()
  }

  /** Where the next record of a key lies. */
  target(key: string): Target {
    const name = this.#nameOf(key)
    return { key, name, generation: this.doubts.generationOf(name) }
  }

  #nameOf(key: string): string {
    return this.#loaded.nameOf(this.#settings.dataset, key)
  }

  #recordKey({ name, generation }: Target): string {
    return this.#prefix + (generation === 0 ? name : `${name}.${generation}`)
  }

  /** Write within `timeoutMs`. The failure of a write as a whole is that of each item. */
  async #write(
    targets: readonly Target[],
    mutations: readonly Mutation<Bytes>[],
  ): Promise<readonly WriteResult[]> {
    const deadlineAt = performance.now() + this.#settings.timeoutMs
    const call: CallOptions = callOptions({ deadlineAt, signal: this.#stop.signal })
    let work: Promise<unknown> = Promise.resolve()
    const ask = (): Promise<readonly WriteResult[]> => {
      const asked = (async () =>
        writeResults(await this.#store.write(mutations, call), mutations.length, this.#store.name))()
      work = asked
      return asked
    }
    const results = await bounded(call, true, ask, () => {
      call.settled = true
    }).catch((error: unknown) => {
      const code = call.sent === true ? 'OUTCOME_UNKNOWN' : 'UNAVAILABLE'
      const failure = toStoreError(error, { code, store: this.#store.name })
      return mutations.map(() => failure)
    })
    targets.forEach((target, i) => {
      const result = results[i]
      if (isStoreError(result) && result.code === 'OUTCOME_UNKNOWN') this.doubts.begin(target, work)
    })
    return results
  }

  /** The content of the newest record of a name, if it can be read and lies where it belongs. */
  #adopted(name: string, { item, generation }: Found): Change | Guard | undefined {
    const record = this.#read(item)
    const isOwn = record !== undefined && this.#nameOf(record.key) === name
    const isGuard = isOwn && record.type === 'guard'
    if (isOwn ? isGuard || generation > 0 : record === undefined && generation > 0)
      this.doubts.adopt(record?.key, name, generation, isGuard)
    return isOwn ? record : undefined
  }

  #read({ entry }: ScanEntry<Bytes>): Change | Guard | undefined {
    if (entry === undefined || isStoreError(entry)) return undefined
    try {
      return decodeJournalRecord(entry.value, this.#loaded.sum)
    } catch {
      return undefined
    }
  }

  get #loaded(): Digests {
    return this.#digests as Digests
  }
}

/** Note a record if none of a later generation is known; whether it is one of a journal. */
function isNoted(newest: Map<string, Found>, item: ScanEntry<Bytes>, prefixLength: number): boolean {
  const { key, entry } = item
  if (isStoreError(entry) && !unreadable.has(entry.code)) throw entry
  const [, name, digits = '0'] = recordName.exec(key.slice(prefixLength)) ?? []
  if (name === undefined) return false
  const generation = Number(digits)
  if (generation >= (newest.get(name)?.generation ?? 0)) newest.set(name, { item, generation })
  return true
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
