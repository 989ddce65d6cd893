import {
  type Bytes,
  type CallOptions,
  isConditionFailed,
  isStoreError,
  isWritten,
  type Mutation,
  newVersion,
  type SetMutation,
  type Store,
  StoreError,
  toStoreError,
  type WriteResult,
} from '@unikv/core'
import { derive, isUserKey, type Leftovers } from '@unikv/core/adapter'
import { isBytes } from '@unikv/core/platform'
import { maxRounds } from './fetching.ts'
import { type Manifest, partKeys, writeManifest, writeWhole } from './format.ts'
import { ownerOfManifest } from './keys.ts'
import { type Former, look } from './looking.ts'
import { aboveFor, type Counts, longKey, type PartsSettings, type Sizes } from './options.ts'
import type { Reading } from './reading.ts'
import { partMutations, stoodStill, writtenParts } from './splitting.ts'
import type { Touching } from './touching.ts'

/** The parts of the layer that the writer works with. */
export interface WritingParts {
  readonly inner: Store<Bytes>
  readonly settings: PartsSettings
  readonly sizes: Sizes
  readonly reading: Reading
  readonly leftovers: Leftovers
  readonly touching: Touching
  readonly counts: Counts
}

/** A mutation on its way. */
interface Job {
  readonly index: number
  /** Key of the record that it changes. */
  readonly owner: string
  readonly given: Mutation<Bytes>
  /** The mutation of the record itself. */
  head: Mutation<Bytes>
  /** The parts that this call writes for it. */
  readonly own: Manifest | undefined
  former: Former | undefined
}

/** Batches of mutations: a look at what they replace, the new parts, the records that name them; then what was replaced goes. */
export class Writing {
  readonly #is: WritingParts

  constructor(parts: WritingParts) {
    this.#is = parts
  }

  async write(mutations: readonly Mutation<Bytes>[], call: CallOptions): Promise<readonly WriteResult[]> {
    const results: (WriteResult | undefined)[] = mutations.map((mutation) => this.#refusal(mutation))
    const jobs = mutations.flatMap((given, index) =>
      results[index] === undefined ? [this.#jobOf(given, index)] : [],
    )
    await this.#look(jobs, call)
    let open = await this.#split(jobs, results, call)
    for (let round = 1; open.length > 0; round++) {
      const again = await this.#attempt(open, results, call)
      if (again.length === results.length) call.sent = false
      if (round === maxRounds) this.#giveUp(again, results)
      open = round === maxRounds ? [] : again
      await this.#look(open, call)
    }
    return results as WriteResult[]
  }

  #refusal(mutation: Mutation<Bytes>): StoreError | undefined {
    if (!isUserKey(mutation.key)) return undefined
    if (mutation.type === 'increment')
      return new StoreError('UNSUPPORTED', 'increment is not possible through the parts layer: use update.')
    if (mutation.type !== 'set') return undefined
    const value: unknown = mutation.value
    if (!isBytes(value)) {
      const message =
        'The parts layer needs bytes: pass a Uint8Array, or add a codec above it, such as json().'
      return new StoreError('INVALID_VALUE', message)
    }
    const { sizes } = this.#is
    if (value.length <= sizes.above) return undefined
    if (value.length <= sizes.maxValueBytes)
      return value.length > sizes.mostWhole ? longKey(mutation.key, sizes) : undefined
    const message = `The value has ${value.length} bytes, and ${sizes.maxValueBytes} may be written as one. Use writeStream(), or raise maxValueBytes of parts().`
    return new StoreError('VALUE_TOO_LARGE', message)
  }

  #jobOf(given: Mutation<Bytes>, index: number): Job {
    const owner = ownerOfManifest(given.key)
    if (owner !== undefined)
      return { index, owner, given, head: { ...given, key: owner }, own: undefined, former: undefined }
    const job = { index, owner: given.key, given, former: undefined }
    if (given.type !== 'set' || !isUserKey(given.key)) return { ...job, head: given, own: undefined }
    const { value } = given
    const { sizes } = this.#is
    const { size } = sizes
    // Few values are long enough for their keys to be measured.
    if (value.length <= sizes.above || value.length <= aboveFor(given.key, sizes))
      return { ...job, head: { ...given, value: writeWhole(value) }, own: undefined }
    // Never one that was used before: a layer above may send the same mutation again.
    const own = { id: newVersion(), length: value.length, size }
    return { ...job, head: { ...given, value: writeManifest(given.key, own) }, own }
  }

  /** See what these will replace, and bind those that depend on it to it. */
  async #look(jobs: readonly Job[], call: CallOptions): Promise<void> {
    const { inner, reading } = this.#is
    const unknown = jobs.filter((job) => this.#wantsLook(job))
    const owners = unknown.map(({ owner }) => owner)
    const found = await look(inner, reading, owners, call)
    for (const job of unknown) {
      job.former = found.get(job.owner)
      // No late duplicate of a record that names parts can come back when they are gone.
      if (this.#isBound(job) && job.former !== undefined)
        job.head = { ...job.head, ifVersion: job.former.version }
    }
  }

  #wantsLook(job: Job): boolean {
    const { given, owner } = job
    if (!isUserKey(owner)) return false
    if (given.type !== 'set' || namesParts(job)) return true
    return given.ifVersion !== null && this.#is.settings.readBeforeWrite
  }

  /** Whether it must not replace anything else than what was looked at. A condition of the caller says so already. */
  #isBound(job: Job): boolean {
    const { given } = job
    return given.ifVersion === undefined && (given.type === 'touch' || namesParts(job))
  }

  /** Write the parts. Returns those whose records may be written now. */
  async #split(
    jobs: readonly Job[],
    results: (WriteResult | undefined)[],
    call: CallOptions,
  ): Promise<readonly Job[]> {
    const ready: Job[] = []
    for (const job of jobs) {
      const failure =
        job.own === undefined ? undefined : (failedEarly(job) ?? (await this.#writeParts(job.own, job, call)))
      if (failure === undefined) ready.push(job)
      else results[job.index] = failure
    }
    return ready
  }

  async #writeParts(
    own: Manifest,
    { given, owner }: Job,
    call: CallOptions,
  ): Promise<StoreError | undefined> {
    const { inner, leftovers, settings } = this.#is
    const { value, expiresAt } = given as SetMutation<Bytes>
    const beganAt = settings.clock()
    for (const mutations of partMutations(owner, own, value, expiresAt, inner.capabilities.batch.maxItems)) {
      const failure = await writtenParts(inner, mutations, derive(call, { sent: 'own' }))
      if (failure === undefined) continue
      leftovers.remove(partKeys(owner, own))
      return failure
    }
    return stoodStill(settings.clock() - beganAt)
  }

  /** Write the records. Returns those that another writer was faster with, and whose caller set no condition. */
  async #attempt(
    jobs: readonly Job[],
    results: (WriteResult | undefined)[],
    call: CallOptions,
  ): Promise<readonly Job[]> {
    const { touching } = this.#is
    const ready: Job[] = []
    const again: Job[] = []
    for (const job of jobs) {
      const { given, former, owner } = job
      const loosened =
        given.type === 'touch' && isUserKey(owner) ? await touching.prepare(given, former, call) : 'ready'
      if (loosened === 'ready') ready.push(job)
      else if (loosened === 'again') again.push(job)
      else results[job.index] = loosened
    }
    const written = await this.#writeHeads(ready, results.length === ready.length, call)
    for (const [i, job] of ready.entries()) {
      const result = written[i] as WriteResult
      if (isConditionFailed(result) && this.#isBound(job) && job.former !== undefined) again.push(job)
      else results[job.index] = this.#settled(job, result)
    }
    return again
  }

  async #writeHeads(
    jobs: readonly Job[],
    areAll: boolean,
    call: CallOptions,
  ): Promise<readonly WriteResult[]> {
    if (jobs.length === 0) return []
    try {
      return await this.#is.inner.write(
        jobs.map(({ head }) => head),
        call,
      )
    } catch (error) {
      const code = call.sent === true ? 'OUTCOME_UNKNOWN' : 'UNAVAILABLE'
      const failed = jobs.map(({ given: { version } }) => toStoreError(error, { code, version }))
      if (!areAll) return failed
      for (const [i, job] of jobs.entries()) this.#settled(job, failed[i] as StoreError)
      throw error
    }
  }

  /** Remove what nothing names any more. */
  #settled(job: Job, result: WriteResult): WriteResult {
    const { owner, own, former, given } = job
    const { leftovers, counts } = this.#is
    if (isWritten(result)) {
      if (namesParts(job)) counts.split++
      const replaced = given.type === 'touch' ? undefined : former?.manifest
      if (replaced !== undefined) leftovers.remove(partKeys(owner, replaced))
    } else if (own !== undefined && !(isStoreError(result) && result.code === 'OUTCOME_UNKNOWN'))
      leftovers.remove(partKeys(owner, own))
    return result
  }

  #giveUp(jobs: readonly Job[], results: (WriteResult | undefined)[]): void {
    for (const job of jobs) {
      const message = `Others changed the record ${maxRounds} times while this call tried to. Nothing was changed. Try again.`
      results[job.index] = this.#settled(job, new StoreError('UNAVAILABLE', message))
    }
  }
}

/** The outcome of a condition that does not hold before anything was sent. */
function failedEarly({ given: { ifVersion }, former }: Job): WriteResult | undefined {
  if (ifVersion === undefined || former?.version === undefined || former.version === ifVersion)
    return undefined
  return { conditionFailed: true, version: former.version ?? undefined }
}

/** Whether the record of this job names parts: those of this call, or of a stream. */
function namesParts({ given, owner, own }: Job): boolean {
  return own !== undefined || (given.type === 'set' && given.key !== owner)
}
