import type { Read, ReadResult } from '@unikv/core'
import { isStoreError, type StoreError } from '@unikv/core/adapter'
import { isFull, isTooMuch } from '../errors.ts'
import { Connection } from '../file/connection.ts'
import { mutate, type Target } from '../file/mutate.ts'
import { foundBy, pageOf, readOne } from '../file/read.ts'
import type { SqliteDatabase } from '../file/sqlite-client.ts'
import type { Statements } from '../file/statements.ts'
import { asWhole, oneStatementOf, setsExpiry } from '../file/whole-call.ts'
import { GroupEngine } from '../groups/group-engine.ts'
import type { GroupWriteJob, Job, Outcome, Stored, WriteJob } from '../jobs.ts'
import type { FileSettings } from '../options.ts'

/** Expired rows that go with one write that sets an expiry: more than it can add. */
const sweptRows = 64
/** Those that go at once where there is no room. */
const sweptForRoom = 1_000

/** Does jobs at once, in this thread. */
export class Engine {
  readonly #connection: Connection
  readonly #groups: GroupEngine

  constructor(settings: FileSettings) {
    this.#connection = new Connection(settings)
    this.#groups = new GroupEngine(this.#connection)
  }

  /** The connection of the driver, opened if it is not yet. @throws {StoreError} */
  get database(): SqliteDatabase {
    return this.#connection.share()
  }

  /** Jobs that came together, all of one kind. Writes share one transaction, each as a whole within it. */
  run(jobs: readonly Job[], now: number): readonly Outcome[] {
    try {
      const statements = this.#connection.opened()
      const target = { statements, now, documents: this.#connection.settings.documents }
      if (jobs[0]?.verb === 'groupWrite') return this.#groups.writeAll(jobs as readonly GroupWriteJob[])
      if (jobs[0]?.verb === 'write') return this.#writeAll(target, jobs as readonly WriteJob[])
      return jobs.map((job) => this.#ask(statements, job, now))
    } catch (error) {
      return jobs.map(() => ({ error: this.#connection.failed(error, false) }))
    }
  }

  /** One call that reads. @throws {StoreError} */
  read(reads: readonly Read[], now: number): readonly ReadResult<Stored>[] {
    try {
      return this.#readAll(this.#connection.opened(), reads, now)
    } catch (error) {
      throw this.#connection.failed(error, false)
    }
  }

  /** Leave the file whole. */
  close(): void {
    this.#connection.close()
  }

  #ask(statements: Statements, job: Job, now: number): Outcome {
    if (job.verb === 'groupRead') return this.#groups.answer(statements, job.read)
    if (job.verb === 'find') return { answer: foundBy(statements, job) }
    if (job.verb === 'scan') return { answer: pageOf(statements, job.range, now) }
    const { reads } = job as Extract<Job, { readonly verb: 'read' }>
    return { answer: this.#readAll(statements, reads, now) }
  }

  /** Reads in one snapshot: others may write in between. That takes less time, too, than a transaction for each read. */
  #readAll(statements: Statements, reads: readonly Read[], now: number): readonly ReadResult<Stored>[] {
    if (reads.length === 1) return [readOne(statements, reads[0] as Read, now)]
    return this.#connection.reading(statements, () => reads.map((read) => readOne(statements, read, now)))
  }

  #writeAll(target: Target, jobs: readonly WriteJob[]): readonly Outcome[] {
    try {
      this.#connection.checkInPlace()
      return this.#write(target, jobs)
    } catch (error) {
      const failure: StoreError = this.#connection.failed(error, true)
      // A call that wants too much must not fail the others: each by itself.
      if (jobs.length > 1 && isTooMuch(error)) return jobs.flatMap((job) => this.run([job], target.now))
      if (isFull(error) && this.#makesRoom(target)) return this.#writeAll(target, jobs)
      return jobs.map(() => ({ error: failure }))
    }
  }

  #write(target: Target, jobs: readonly WriteJob[]): readonly Outcome[] {
    const isAlone = jobs.length === 1
    const only = isAlone ? oneStatementOf(jobs[0] as WriteJob) : undefined
    // Found locked, it would have to be ended, which others on the connection would notice.
    if (only !== undefined && !this.#connection.isShared) return [{ answer: [mutate(target, only)] }]
    const isKept = ([first]: readonly { readonly answer: readonly unknown[] }[]): boolean =>
      !(isAlone && first?.answer.some(isStoreError))
    return this.#connection.writing(() => {
      const outcomes = jobs.map((job) => ({ answer: asWhole(target, job, isAlone) }))
      if (isKept(outcomes) && jobs.some(({ mutations }) => mutations.some(setsExpiry)))
        target.statements.of('sweep').run([target.now, sweptRows])
      return outcomes
    }, isKept)
  }

  /** Removes expired records to make room. Returns whether there were any. */
  #makesRoom({ statements, now }: Target): boolean {
    try {
      const { changes } = this.#connection.writing(
        () => statements.of('sweep').run([now, sweptForRoom]) as { readonly changes: number },
      )
      return changes > 0
    } catch {
      // The caller is told that there is no room.
      return false
    }
  }
}
