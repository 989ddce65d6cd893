import {
  type Bytes,
  type CallOptions,
  type Entry,
  isConditionFailed,
  isStoreError,
  type Mutation,
  type Store,
  StoreError,
  type TogetherChange,
  type WriteResult,
} from '@unikv/core'
import { adapterOf } from '@unikv/core/adapter'
import { type Frame, type Part, stored, writeFrame } from './frame.ts'
import { isMark, markOf } from './marks.ts'
import { partOf, type Settling } from './settling.ts'
import type { Attempt, Step } from './step.ts'

const lost = { conditionFailed: true } as const

/** Puts the changes of a transaction into their records, where they wait for its decision. */
export class Preparing {
  readonly #inner: Store<Bytes>
  readonly #settling: Settling

  constructor(inner: Store<Bytes>, settling: Settling) {
    this.#inner = inner
    this.#settling = settling
  }

  write(
    attempt: Attempt,
    mutations: readonly Mutation<Bytes>[],
    call: CallOptions,
  ): Promise<readonly WriteResult[]> {
    return Promise.all(mutations.map((mutation) => this.#one(attempt, mutation, call)))
  }

  /** All changes in one step of the store. Resolves to one result for all: that of the first. */
  async together(
    { attempt, size }: Step,
    mutations: readonly Mutation<Bytes>[],
    call: CallOptions,
  ): Promise<readonly WriteResult[]> {
    const seen = attempt.seenBy(this.#inner)
    const changes = mutations.map((mutation) => changeOf(mutation, seen.get(mutation.key)))
    const changed = new Set(mutations.map(({ key }) => key))
    const checks = [...seen].flatMap(([key, entry]) =>
      changed.has(key) ? [] : [{ key, version: entry?.version ?? null }],
    )
    // A layer above that parts a call, or reads more than it was asked for, would part the transaction.
    const isWhole = changes.length + checks.length === size
    const fits = isWhole && fitsInOne(this.#inner, changes, size)
    const isDone = fits ? await adapterOf(this.#inner).together?.(changes, checks, call) : undefined
    if (isDone === undefined) return mutations.map(() => cannot())
    return mutations.map(() => (isDone ? { version: undefined } : lost))
  }

  async #one(attempt: Attempt, mutation: Mutation<Bytes>, call: CallOptions): Promise<WriteResult> {
    const { key } = mutation
    const seen = attempt.seenBy(this.#inner)
    // Nothing is waited for here, as the attempt holds records: one that another has prepared is a conflict.
    const isNew = mutation.ifVersion === null && !seen.has(key)
    const before = isNew || seen.has(key) ? seen.get(key) : await this.#settling.look(key, call)
    if (mutation.ifVersion !== undefined && (before?.version ?? null) !== mutation.ifVersion) return lost
    if (isMark(before?.version)) return lost
    const present = before && partOf(before)
    const frame: Frame = { by: attempt.id, present, next: nextOf(mutation, present) }
    const version = markOf(mutation.version)
    const value = writeFrame(frame)
    const entry = { value, version, expiresAt: undefined }
    attempt.prepared.push({
      settle: (isCommitted) => this.#settling.settle({ key, frame, entry }, isCommitted),
    })
    const result = await this.#sent(
      attempt,
      { type: 'set', key, value, version, ifVersion: before?.version ?? null },
      call,
    )
    // No version: a cache above keeps nothing of what is not decided.
    return isStoreError(result) || isConditionFailed(result) ? result : { version: undefined }
  }

  /** An answer that was lost is asked for once more. */
  async #sent(attempt: Attempt, mutation: Mutation<Bytes>, call: CallOptions): Promise<WriteResult> {
    const first = await this.#try(mutation, call)
    if (!isStoreError(first) || first.code !== 'OUTCOME_UNKNOWN') return first
    attempt.mayComeLate = true
    const found = await this.#settling.look(mutation.key, call)
    if (found?.version === mutation.version) return { version: mutation.version }
    // If both arrive, the second one meets the version of the first. A record that is created has none: the first one might arrive when others
    // have removed the record, and bring it back. So the transaction is aborted, and it is of no effect.
    return typeof mutation.ifVersion === 'string' ? this.#try(mutation, call) : lost
  }

  async #try(mutation: Mutation<Bytes>, call: CallOptions): Promise<WriteResult> {
    try {
      const [result] = await this.#inner.write([mutation], call)
      return result as WriteResult
    } catch (error) {
      if (isStoreError(error)) return error
      throw error
    }
  }
}

/** A change on the condition that its record is as it was read. */
function changeOf(mutation: Mutation<Bytes>, seen: Entry<Bytes> | undefined): TogetherChange<Bytes> {
  const ifVersion = mutation.ifVersion ?? seen?.version ?? null
  if (mutation.type === 'delete') return { ...mutation, ifVersion }
  if (mutation.type !== 'set') throw noSuchChange(mutation)
  return { ...mutation, value: stored(mutation.value), ifVersion }
}

/** Whether one call takes them. */
function fitsInOne(
  { capabilities: { batch } }: Store<Bytes>,
  changes: readonly TogetherChange<Bytes>[],
  size: number,
): boolean {
  const bytes = changes.reduce((sum, one) => sum + (one.type === 'set' ? one.value.length : 0), 0)
  return size <= batch.maxItems && bytes <= batch.maxBytes
}

function cannot(): StoreError {
  return new StoreError('UNSUPPORTED', 'The store cannot change these records in one step.')
}

function noSuchChange({ type, key }: Mutation<Bytes>): StoreError {
  return new StoreError('UNSUPPORTED', `A transaction has sets and deletes, and no ${type}.`, { key })
}

/** The record that a mutation leaves. */
function nextOf(mutation: Mutation<Bytes>, present: Part | undefined): Part | undefined {
  const { type, version } = mutation
  if (type === 'delete') return undefined
  if (type !== 'set') throw noSuchChange(mutation)
  const expiresAt = mutation.expiresAt === 'keep' ? present?.expiresAt : mutation.expiresAt
  return { value: mutation.value, version, expiresAt }
}
