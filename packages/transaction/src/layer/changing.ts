import {
  type Awaitable,
  andThen,
  type Bytes,
  type CallOptions,
  type Entry,
  isConditionFailed,
  isEntry,
  isNotModified,
  isStoreError,
  type Mutation,
  type ReadResult,
  type Store,
  type Version,
  type WriteResult,
} from '@unikv/core'
import { incremented } from '@unikv/core/adapter'
import { frameBytes, stored, unescaped } from './frame.ts'
import { isMark } from './marks.ts'
import { type Settling, strongly } from './settling.ts'

type Mutations = readonly Mutation<Bytes>[]
type Results = readonly WriteResult[]

/**
 * Changes outside of transactions. Each is made by condition, so none undoes what a transaction has prepared: it waits until that is
 * decided.
 */
export class Changing {
  readonly #inner: Store<Bytes>
  readonly #settling: Settling

  constructor(inner: Store<Bytes>, settling: Settling) {
    this.#inner = inner
    this.#settling = settling
  }

  write(mutations: Mutations, call: CallOptions): Awaitable<Results> {
    if (!mutations.every(isConditional)) return this.#blind(mutations, call)
    return andThen(this.#inner.write(mutations.map(asStored), call), (results) => {
      if (!results.some(metPrepared)) return results
      return Promise.all(
        results.map(async (result, i) =>
          metPrepared(result) ? this.#again(mutations[i] as Mutation<Bytes>, call) : result,
        ),
      )
    })
  }

  /** Read the present versions of changes without a condition, as their condition. */
  async #blind(mutations: Mutations, call: CallOptions): Promise<Results> {
    const heads = await this.#inner.read(
      mutations.map(({ key, type }) => (type === 'increment' ? { key } : { key, head: true })),
      strongly(this.#inner, call),
    )
    return Promise.all(
      mutations.map(async (mutation, i) => {
        const head = heads[i]
        if (isConditional(mutation)) return this.#one(mutation, call)
        return isStoreError(head) ? head : this.#onto(mutation, head, call)
      }),
    )
  }

  /** A change of a record that was found so, again until no other comes between. */
  async #onto(mutation: Mutation<Bytes>, found: ReadResult<Bytes>, call: CallOptions): Promise<WriteResult> {
    let head = isMark(versionOf(found)) ? await this.#settling.free(mutation.key, call) : found
    for (;;) {
      const result = await this.#changed(mutation, head, versionOf(head), call)
      if (isStoreError(result) || !isConditionFailed(result)) return result
      head = await this.#settling.free(mutation.key, call)
    }
  }

  async #changed(
    mutation: Mutation<Bytes>,
    head: ReadResult<Bytes>,
    version: Version | null | undefined,
    call: CallOptions,
  ): Promise<WriteResult> {
    if (mutation.type === 'delete' && version === null) return { version: mutation.version, existed: false }
    if (mutation.type === 'increment') return this.#count(mutation, head as Entry<Bytes> | undefined, call)
    return this.#write({ ...mutation, ifVersion: version ?? null }, call)
  }

  async #count(
    mutation: Mutation<Bytes> & { readonly type: 'increment' },
    entry: Entry<Bytes> | undefined,
    call: CallOptions,
  ): Promise<WriteResult> {
    const { key, version } = mutation
    const value = incremented(entry && unescaped(entry.value), mutation)
    if (isStoreError(value)) return value
    const expiresAt = entry === undefined ? mutation.expiresAt : entry.expiresAt
    const ifVersion = entry?.version ?? null
    const result = await this.#write(
      { type: 'set', key, version, ifVersion, expiresAt, value: Buffer.from(String(value)) },
      call,
    )
    return isStoreError(result) || isConditionFailed(result) ? result : { ...result, value, expiresAt }
  }

  async #one(mutation: Mutation<Bytes>, call: CallOptions): Promise<WriteResult> {
    const result = await this.#write(mutation, call)
    return metPrepared(result) ? this.#again(mutation, call) : result
  }

  /** A conditional change, once nothing is prepared in its record. */
  async #again(mutation: Mutation<Bytes>, call: CallOptions): Promise<WriteResult> {
    const { version = null } = (await this.#settling.free(mutation.key, call)) ?? {}
    return version === mutation.ifVersion
      ? this.#one(mutation, call)
      : { conditionFailed: true, version: version ?? undefined }
  }

  async #write(mutation: Mutation<Bytes>, call: CallOptions): Promise<WriteResult> {
    const [result] = await this.#inner.write([asStored(mutation)], call)
    return result as WriteResult
  }
}

/** Longest value below a layer with frames: two of them and what is around them fit into a record. */
export function maxValueBytesOver(maxValueBytes: number): number {
  return Math.max(0, Math.floor((maxValueBytes - frameBytes) / 2))
}

/** The version of what was found; `null`: nothing. */
function versionOf(found: ReadResult<Bytes>): Version | null | undefined {
  return isEntry(found) || isNotModified(found) ? found.version : null
}

function isConditional({ ifVersion }: Mutation<Bytes>): boolean {
  return ifVersion !== undefined
}

/** Whether a condition failed because a transaction has prepared the record, or may have: some stores do not tell the version that they found. */
function metPrepared(result: WriteResult): boolean {
  if (isStoreError(result) || !isConditionFailed(result)) return false
  return result.version === undefined || isMark(result.version)
}

function asStored(mutation: Mutation<Bytes>): Mutation<Bytes> {
  return mutation.type === 'set' ? { ...mutation, value: stored(mutation.value) } : mutation
}
