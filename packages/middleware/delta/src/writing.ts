import {
  type Bytes,
  type CallOptions,
  type DeleteMutation,
  isConditionFailed,
  isStoreError,
  isWritten,
  type Mutation,
  type SetMutation,
  type Store,
  StoreError,
  toStoreError,
  type WriteResult,
} from '@unikv/core'
import { derive, isUserKey, type Leftovers, valueDelta, withOwnValue } from '@unikv/core/adapter'
import { isBytes } from '@unikv/core/platform'
import { partKey, partsOf } from './chain/parts.ts'
import type { HeldParts } from './held-parts.ts'
import { type Looked, look } from './looking.ts'
import type { Memory } from './memory.ts'
import type { Plan } from './plan.ts'
import { type Planned, planOf, whole } from './planning.ts'
import type { Reading } from './reading.ts'
import type { Counts } from './stats.ts'
import { strongest } from './step.ts'

/** How often a delta is made anew because another writer was faster; after that the value is written whole. */
const maxConflicts = 2

/** Half of the age at which a sweep takes parts by default. */
const longestPauseMs = 1_800_000

const none: ReadonlySet<Mutation<Bytes>> = new Set()

/** A mutation on its way. */
interface Job {
  readonly index: number
  readonly mutation: SetMutation<Bytes> | DeleteMutation
  plan: Plan | undefined
  /** Keys of parts that go when a delete has taken effect. */
  obsolete: readonly string[]
}

/** Parts of the writer. */
export interface WritingParts {
  readonly inner: Store<Bytes>
  readonly planned: Planned
  readonly maxValueBytes: number
  readonly reading: Reading
  readonly memory: Memory
  readonly leftovers: Leftovers
  readonly held: HeldParts
  readonly counts: Counts
  readonly clock: () => number
}

/**
 * Batches of mutations, each as a constant number of batches below: perhaps a look, the new parts, the heads. Those
 * whose head was replaced meanwhile go through it again, twice at most.
 */
export class Writing {
  readonly #is: WritingParts

  constructor(parts: WritingParts) {
    this.#is = parts
  }

  async write(mutations: readonly Mutation<Bytes>[], call: CallOptions): Promise<readonly WriteResult[]> {
    const refusals = mutations.map((mutation) => this.#refusal(mutation))
    // Copied before anything is waited for.
    const own = mutations.map((mutation, i) =>
      refusals[i] === undefined ? withOwnValue(mutation) : mutation,
    )
    const held = own.every(({ key }) => isUserKey(key)) ? none : await this.#is.held.hold(own, call)
    const results = own.map((mutation, i): WriteResult | undefined =>
      held.has(mutation) ? { version: mutation.version } : refusals[i],
    )
    const jobs = own.flatMap((mutation, index): Job[] =>
      results[index] === undefined
        ? [{ index, mutation: mutation as Job['mutation'], plan: undefined, obsolete: [] }]
        : [],
    )
    const looked = await look(this.#is, jobs, call)
    for (const job of jobs) this.#plan(job, looked.get(job.index))
    let open = await this.#attempt(jobs, results, call, jobs.length === mutations.length)
    for (let conflict = 1; open.length > 0; conflict++) {
      await this.#again(open, call, conflict)
      open = await this.#attempt(open, results, call, false)
    }
    return results as WriteResult[]
  }

  #refusal(mutation: Mutation<Bytes>): StoreError | undefined {
    if (!isUserKey(mutation.key) || mutation.type === 'delete') return undefined
    if (mutation.type !== 'set') {
      const message = `${mutation.type} is not possible through the delta layer: use update.`
      return new StoreError('UNSUPPORTED', message)
    }
    const value: unknown = mutation.value
    const { maxValueBytes } = this.#is
    if (!isBytes(value)) {
      const message =
        'The delta layer needs bytes: pass a Uint8Array, or add a codec above it, such as json().'
      return new StoreError('INVALID_VALUE', message)
    }
    if (value.length <= maxValueBytes) return undefined
    const message = `The value has ${value.length} bytes; the delta layer over this store allows ${maxValueBytes}.`
    return new StoreError('VALUE_TOO_LARGE', message)
  }

  #plan(job: Job, looked: Looked | undefined): void {
    const { mutation } = job
    if (!isUserKey(mutation.key)) return
    const seen = looked !== undefined && 'version' in looked ? looked : undefined
    const known = seen ?? this.#is.memory.get(mutation.key)
    if (mutation.type === 'set') job.plan = planOf(mutation, known, this.#is.planned)
    else
      job.obsolete =
        looked === undefined || 'version' in looked ? partsOf(mutation.key, known?.chain) : looked
  }

  /** Look at what others wrote, and plan anew; in the end, write whole. */
  async #again(open: readonly Job[], call: CallOptions, conflict: number): Promise<void> {
    const { reading, planned } = this.#is
    const asked = open.map(({ mutation: { key } }) => ({ key }))
    const looked =
      conflict > maxConflicts
        ? []
        : await reading.values(asked, strongest(this.#is.inner, call)).catch(() => [])
    for (const [i, job] of open.entries()) {
      const found = looked[i]
      const known = found !== undefined && 'known' in found ? found.known : undefined
      const mutation = job.mutation as SetMutation<Bytes>
      job.plan = conflict > maxConflicts ? whole(mutation, known, planned) : planOf(mutation, known, planned)
    }
  }

  /**
   * Write the parts, then the heads. Returns whose head was replaced by somebody else meanwhile.
   *
   * @param isAll These are all mutations of the call: if none could be attempted, the call fails as a whole.
   */
  async #attempt(
    jobs: readonly Job[],
    results: (WriteResult | undefined)[],
    call: CallOptions,
    isAll: boolean,
  ): Promise<Job[]> {
    const failures = await this.#writeParts(jobs, call)
    const ready = jobs.filter((job) => {
      const failure = failures.get(job)
      if (failure !== undefined) results[job.index] = failure
      return failure === undefined
    })
    if (ready.length === 0) return []
    const heads = await this.#writeHeads(ready, call, isAll)
    const open: Job[] = []
    for (const [i, job] of ready.entries()) {
      const result = heads[i] as WriteResult
      if (this.#settle(job, result)) results[job.index] = result
      else open.push(job)
    }
    // None of it took effect, and what comes next starts from there.
    if (open.length === results.length) call.sent = false
    return open
  }

  /** New parts, all at once. Returns whose part could not be written, or may be swept already: nothing was changed then. */
  async #writeParts(jobs: readonly Job[], call: CallOptions): Promise<Map<Job, StoreError>> {
    const failures = new Map<Job, StoreError>()
    const partial = jobs.filter(({ plan }) => plan?.part !== undefined)
    if (partial.length === 0) return failures
    const mutations = partial.map(({ plan }) => partMutation(plan as Plan))
    const beganAt = this.#is.clock()
    let written: readonly WriteResult[]
    try {
      written = await this.#is.inner.write(mutations, derive(call, { sent: 'own' }))
    } catch (error) {
      written = partial.map(() => toStoreError(error, {}))
    }
    const mayBeSwept = this.#is.clock() - beganAt > longestPauseMs
    for (const [i, job] of partial.entries()) {
      const result = mayBeSwept ? stoodStill() : (written[i] as WriteResult)
      if (!isWritten(result)) failures.set(job, withoutEffect(result))
      else this.#is.counts.writtenBytes += job.plan?.part?.record.length ?? 0
    }
    return failures
  }

  async #writeHeads(
    jobs: readonly Job[],
    call: CallOptions,
    isAll: boolean,
  ): Promise<readonly WriteResult[]> {
    try {
      return await this.#is.inner.write(
        jobs.map(({ plan, mutation }) => plan?.head ?? mutation),
        call,
      )
    } catch (error) {
      for (const { mutation } of jobs) this.#is.memory.forget(mutation.key)
      if (isAll && jobs.length > 0) throw error
      const code = call.sent === true ? 'OUTCOME_UNKNOWN' : 'UNAVAILABLE'
      return jobs.map(({ mutation }) => toStoreError(error, { code, version: mutation.version }))
    }
  }

  /** Draw the consequences of a result. False: it has to be tried again. */
  #settle(job: Job, result: WriteResult): boolean {
    const { mutation, plan } = job
    const { memory, leftovers, counts } = this.#is
    if (!isUserKey(mutation.key)) return true
    if (isWritten(result)) {
      if (plan?.next === undefined) memory.forget(mutation.key)
      else memory.put(mutation.key, plan.next)
      if (plan !== undefined) this.#count(plan, mutation as SetMutation<Bytes>)
      leftovers.remove(plan?.obsolete ?? this.#obsoleteWithout(job))
      return true
    }
    memory.forget(mutation.key)
    if (isStoreError(result) || !isConditionFailed(result)) return true
    if (plan?.part !== undefined) leftovers.remove([partKey(mutation.key, plan.part.id)])
    if (mutation.ifVersion !== undefined || plan?.head.ifVersion === undefined) return true
    counts.conflicts++
    return false
  }

  /** The parts that go with a head that was deleted. */
  #obsoleteWithout({ mutation, obsolete }: Job): readonly string[] {
    return Array.from(new Set([...obsolete, ...this.#is.held.take(mutation.key)]))
  }

  #count({ how, head }: Plan, { value }: SetMutation<Bytes>): void {
    const { counts } = this.#is
    counts[how]++
    counts.valueBytes += value.length
    counts.writtenBytes += (valueDelta.of(head.facts)?.bytes ?? head.value).length
  }
}

function partMutation({ head, part, next }: Plan): SetMutation<Bytes> {
  const { id, record } = part as NonNullable<Plan['part']>
  return {
    type: 'set',
    key: partKey(head.key, id),
    version: id,
    value: record,
    expiresAt: next?.chain?.partsExpireAt,
  }
}

/** A part that is not there: the head was not written, so the value is as it was. */
function withoutEffect(result: WriteResult): StoreError {
  if (isStoreError(result) && result.code !== 'OUTCOME_UNKNOWN') return result
  const message = 'A part of the value could not be written, so nothing was changed. Try again.'
  return new StoreError('UNAVAILABLE', message, isStoreError(result) ? { cause: result } : {})
}

function stoodStill(): StoreError {
  const message =
    'This process stood still while a part of the value was written, so a sweep may have removed the part. Nothing was changed. Try again.'
  return new StoreError('UNAVAILABLE', message)
}
