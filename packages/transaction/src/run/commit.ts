import { type Entry, isConditionFailed, isStoreError, type Mutation, type WriteResult } from '@unikv/core'
import { endOf, leftMs, within } from '@unikv/core/adapter'
import { pause } from '@unikv/core/platform'
import { type Attempt, Step } from '../layer/step.ts'
import { type Ending, isCode, type Log } from '../log/log.ts'
import type { LogRecord } from '../log/record.ts'
import type { Branch } from '../sql/branch.ts'
import { holdAbsent, isUnchanged, type OnlyRead, onlyRead } from './only-read.ts'
import type { Participant, Parts, Share } from './participant.ts'
import { changesOf, forget, look, refuseTwice } from './shares.ts'
import { commitTogether } from './together.ts'

/** How a commit ended: `undefined` is a conflict, and nothing was changed. */
export interface Committed {
  /** Writes the records that were decided, after the answer. It never fails. */
  readonly rest?: (() => Promise<void>) | undefined
}

/** How strict a transaction is about what it only read. */
export type Isolation = 'serializable' | 'snapshot'

/**
 * Make the changes of an attempt, all or none, if what it read is still as it was.
 *
 * @throws {StoreError} `OUTCOME_UNKNOWN` if it cannot be told; any other: nothing was changed
 */
async function commit(
  parts: Parts,
  log: Log,
  isolation: Isolation,
  call: Ending,
): Promise<Committed | undefined> {
  refuseTwice(parts)
  holdAbsent(parts)
  const written = parts.shares.flatMap((share) =>
    [...share.writes.values()].map((mutation) => ({ share, mutation })),
  )
  const only = written[0]
  const reads = onlyRead(parts)
  const listed = parts.shares.some(({ listings }) => listings.length > 0)
  const branches = parts.branches.filter(({ isUsed }) => isUsed)
  const alone = only === undefined && branches.length === 1 ? branches[0] : undefined
  if (alone !== undefined)
    return (await isUnchanged(parts, reads, call)) && (await alone.commit()) ? {} : undefined
  if (branches.length > 0) return new Commit(parts, log, reads, call).run(isolation)
  if (only === undefined) return (await isUnchanged(parts, reads, call)) ? {} : undefined
  if (written.length === 1 && reads.length === 0 && !listed) return commitOne(only.share, only.mutation, call)
  const ended = await commitTogether(parts, call)
  if (ended !== 'elsewhere') return ended ? {} : undefined
  return new Commit(parts, log, reads, call).run(isolation)
}

/** As `commit`, with what remains behind the answer. */
export async function tryCommit(
  parts: Parts,
  log: Log,
  isolation: Isolation,
  call: Ending,
): Promise<Committed | undefined> {
  const done = await commit(parts, log, isolation, call).catch((error: unknown) => {
    if (isCode(error, 'CONDITION_FAILED')) return undefined
    throw error
  })
  const rest = done?.rest?.()
  if (rest !== undefined) parts.later(rest)
  return done
}

/**
 * Whether a function may have failed for no other reason than a conflict: what it read was not of one time. It is not, where
 * that cannot be told.
 */
export async function isLost(parts: Parts, log: Log, call: Ending): Promise<boolean> {
  const shares = parts.shares.map((share) => ({ ...share, writes: new Map() }))
  const done = await tryCommit({ ...parts, shares, branches: [] }, log, 'serializable', call).catch(
    () => ({}),
  )
  return done === undefined
}

/** No end: for what goes on behind the answer. */
const never: Ending = { deadlineAt: Number.POSITIVE_INFINITY, signal: undefined }

/** How long a transaction is aborted by its own process, in milliseconds. */
const abortMs = 5000

/** Two-phase commit of one attempt. */
class Commit {
  readonly #parts: Parts
  readonly #log: Log
  readonly #reads: readonly OnlyRead[]
  readonly #call: Ending
  /** Whether the log was told of it. */
  #isTold = false

  constructor(parts: Parts, log: Log, reads: readonly OnlyRead[], call: Ending) {
    this.#parts = parts
    this.#log = log
    this.#reads = reads
    this.#call = call
  }

  get #writers(): readonly Share[] {
    return this.#parts.shares.filter(({ writes }) => writes.size > 0)
  }

  get #branches(): readonly Branch[] {
    return this.#parts.branches.filter(({ isUsed }) => isUsed)
  }

  /** Canonical keys by the name of their store. A database has none. */
  get #records(): LogRecord['records'] {
    return Object.fromEntries([
      ...this.#writers.map(({ participant, writes }) => [participant.name, [...writes.keys()]] as const),
      ...this.#branches.map(({ name }) => [name, []] as const),
    ])
  }

  async run(isolation: Isolation): Promise<Committed | undefined> {
    const { id } = this.#parts.attempt
    const deciding = this.#decide(isolation)
    this.#log.deciding(id, deciding)
    const isCommitted = await deciding
    if (!isCommitted) return undefined
    // A reader of rows cannot ask the log: they are there before the answer.
    await Promise.all([forget(this.#parts), ...this.#branches.map((branch) => branch.settle(true))])
    return { rest: () => this.#settle(true) }
  }

  async #decide(isolation: Isolation): Promise<boolean> {
    const { id } = this.#parts.attempt
    let opened: Entry<LogRecord> | undefined
    try {
      opened = await this.#prepared(isolation)
    } catch (error) {
      await this.#abort()
      // It is known what became of it: nothing.
      if (isCode(error, 'OUTCOME_UNKNOWN')) return false
      throw error
    }
    if (opened === undefined) {
      await this.#abort()
      return false
    }
    const fate = await this.#commitLog(id, opened)
    if (fate === 'aborted') {
      this.#parts.attempt.lostIn = 'log'
      await this.#settle(false)
    }
    return fate === 'committed'
  }

  async #commitLog(id: string, opened: Entry<LogRecord>): Promise<'committed' | 'aborted'> {
    try {
      return await this.#log.commit(id, opened, this.#call)
    } catch (error) {
      if (!isCode(error, 'OUTCOME_UNKNOWN')) await this.#abort()
      throw error
    }
  }

  /** The open record of the log; `undefined`: a conflict. */
  async #prepared(isolation: Isolation): Promise<Entry<LogRecord> | undefined> {
    const { attempt } = this.#parts
    const writers = this.#writers
    await Promise.all([
      ...writers.map((share) => look(attempt, share, this.#call)),
      ...this.#branches.map((branch) => branch.check()),
    ])
    const isSnapshot = isolation === 'snapshot'
    this.#isTold = true
    const steps = [
      this.#log.open(attempt.id, this.#records, this.#call),
      isSnapshot ? isUnchanged(this.#parts, this.#reads, this.#call) : Promise.resolve(true),
      ...writers.map((share) => prepare(attempt, share, this.#call)),
    ] as const
    const [opened, ...answers] = await allOf<unknown>(attempt, steps)
    if (answers.includes(false)) return undefined
    // After the log has heard of it: a database has prepared nothing that the log does not know.
    const branches = this.#branches.map((branch) => branch.prepare(attempt))
    if ((await allOf(attempt, branches)).includes(false)) return undefined
    const isValid = isSnapshot || (await isUnchanged(this.#parts, this.#reads, this.#call))
    return isValid ? (opened as Entry<LogRecord>) : undefined
  }

  /**
   * Abort it, in a time of its own: that of the caller may be over, and then it goes on behind the answer. It never fails: the next one that meets a record
   * aborts the transaction after the lease.
   */
  async #abort(): Promise<void> {
    if (!this.#isTold) return
    const work = this.#aborted(within(abortMs))
    if (endOf(this.#call, false) === undefined) await work
    else this.#parts.later(work)
  }

  async #aborted(call: Ending): Promise<void> {
    const { id } = this.#parts.attempt
    // The log may be unable to hold so many keys.
    const abort = this.#log.abort(id, call, this.#records).catch(async () => this.#log.abort(id, call))
    const fate = await abort.catch(() => undefined)
    if (fate !== undefined) await this.#settle(fate === 'committed')
  }

  async #settle(isCommitted: boolean): Promise<void> {
    const { id, prepared, mayComeLate } = this.#parts.attempt
    const isDone = await Promise.all(prepared.map((one) => one.settle(isCommitted)))
    // The log must not forget a decision that a record still waits for.
    if (isDone.includes(false)) return
    await (isCommitted || mayComeLate ? this.#log.finish(id, never) : this.#log.drop(id, never)).catch(
      () => {},
    )
  }
}

/** All have ended before anything is undone. */
async function allOf<T>(attempt: Attempt, steps: readonly Promise<T>[]): Promise<readonly T[]> {
  const ends = await Promise.allSettled(steps)
  const failed = ends.find((end) => end.status === 'rejected')
  if (failed === undefined) return ends.map((end) => (end as PromiseFulfilledResult<T>).value)
  attempt.mayComeLate = true
  throw failed.reason
}

/** Prepare the writes of one store. Resolves to whether they were as they had been read. */
async function prepare(attempt: Attempt, { participant, ...share }: Share, call: Ending): Promise<boolean> {
  const results = await participant.write(changesOf(share), new Step('prepare', attempt), call)
  const failed = results.find(isStoreError)
  if (failed !== undefined) throw failed
  const isLost = results.some((result) => isConditionFailed(result))
  if (isLost) attempt.lostIn ??= participant.name
  return !isLost
}

/** One record alone is changed by its condition, as by `update`. */
async function commitOne(
  { participant, reads }: Share,
  mutation: Mutation<unknown>,
  call: Ending,
): Promise<Committed | undefined> {
  const { key } = mutation
  const ifVersion = reads.has(key) ? (reads.get(key) ?? null) : undefined
  const change = { ...mutation, ifVersion }
  const result = await sent(participant, change, call)
  if (!isStoreError(result)) return isConditionFailed(result) ? undefined : {}
  if (result.code !== 'OUTCOME_UNKNOWN' || ifVersion === undefined) throw result
  for (let count = 0; ; count++) {
    const [found] = await participant.read([{ key, head: true }], undefined, call).catch(() => [result])
    if (isStoreError(found)) throw result
    if (found?.version === mutation.version) return {}
    // If both arrive, the second one meets the version of the first. A create may not be repeated: see `Preparing`.
    if (ifVersion === null || found?.version !== ifVersion || leftMs(call) <= 0) throw result
    await pause(Math.min(200, 2 ** count), { signal: call.signal })
    await sent(participant, change, call)
  }
}

async function sent(
  participant: Participant,
  mutation: Mutation<unknown>,
  call: Ending,
): Promise<WriteResult> {
  try {
    const [result] = await participant.write([mutation], undefined, call)
    return result as WriteResult
  } catch (error) {
    if (isStoreError(error)) return error
    throw error
  }
}
