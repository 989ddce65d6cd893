import { type CallOptions, isStoreError, type Mutation, StoreError, toStoreError } from '@unikv/core'
import { Bounded, causeOf, closed, endOf, unanswered } from '@unikv/core/adapter'
import { queueMicrotask } from '@unikv/core/platform'
// biome-ignore lint/style/useNodejsImportProtocol: webpack bundles the file of a thread only where Worker comes from this name
import { Worker } from 'worker_threads' // oxlint-disable-line unicorn/prefer-node-protocol -- see decision 0064
import { type AnswerOf, type Job, kindOf, type Outcome, type Stored } from '../jobs.ts'
import type { FileSettings } from '../options.ts'
import { fromPlain } from './plain.ts'

/** Most jobs that wait for one thread: more are a fault of the program, and would take its memory. */
const maxWaiting = 1_000_000
/** Most jobs of one message: what waits longer has its deadline looked at in between. */
const maxTogether = 256

/** A job of a thread. At its deadline it ends for its caller. */
class Ticket extends Bounded {
  readonly job: Job
  readonly outcome: Promise<Outcome>
  #resolve!: (outcome: Outcome) => void
  #isOver = false

  constructor(job: Job, call: CallOptions) {
    super(call)
    this.job = job
    this.outcome = new Promise((resolve) => {
      this.#resolve = resolve
    })
  }

  get isWrite(): boolean {
    return kindOf(this.job) !== 'read'
  }

  /** Whether it may still be done; if so, it is on its way. */
  leaves(): boolean {
    if (this.#isOver) return false
    const refusal = endOf(this.call, false)
    if (refusal !== undefined) this.end({ error: refusal })
    else if (this.isWrite) this.call.sent = true
    return refusal === undefined
  }

  end(outcome: Outcome): void {
    if (this.#isOver) return
    this.#isOver = true
    this.forget()
    this.#resolve(outcome)
  }

  protected cut(): void {
    // The deadline has come, or the signal: there is an error for it.
    this.end({ error: endOf(this.call, this.isWrite) as StoreError })
  }
}

/**
 * One worker thread with the file open. Jobs that come while it is busy go to it in one message, so that writes share
 * a transaction and messages cost little. A thread that dies is replaced by the next job.
 */
export class Thread {
  readonly #settings: FileSettings
  readonly #clock: () => number
  #waiting: Ticket[] = []
  #underWay: readonly Ticket[] = []
  #worker: Worker | undefined
  /** Whether the worker came to its first job. */
  #isUp = false
  #closing: Promise<void> | undefined
  #idle: () => void = () => {}

  constructor(settings: FileSettings, clock: () => number) {
    this.#settings = settings
    this.#clock = clock
  }

  /** Jobs that it has not done yet. */
  get load(): number {
    return this.#waiting.length + this.#underWay.length
  }

  /** @throws {StoreError} the error of the call as a whole */
  async ask<J extends Job>(job: J, call: CallOptions): Promise<AnswerOf[J['verb']]> {
    const refusal = this.#refusal() ?? endOf(call, false)
    if (refusal !== undefined) throw refusal
    const ticket = new Ticket(detached(job), call)
    this.#waiting.push(ticket)
    this.#next()
    const outcome = await ticket.outcome
    if ('error' in outcome) throw outcome.error
    return outcome.answer as AnswerOf[J['verb']]
  }

  /** Do what is under way, nothing more, and end. Again: the same promise. */
  close(): Promise<void> {
    return (this.#closing ??= this.#end())
  }

  async #end(): Promise<void> {
    for (const ticket of this.#waiting.splice(0)) ticket.end({ error: closed() })
    if (this.#underWay.length > 0) await new Promise<void>((resolve) => (this.#idle = resolve))
    const worker = this.#worker
    if (worker === undefined) return
    const ended = new Promise((resolve) => worker.once('exit', resolve))
    worker.ref()
    worker.postMessage('close')
    await ended
  }

  #refusal(): StoreError | undefined {
    if (this.#closing !== undefined) return closed()
    if (this.#waiting.length < maxWaiting) return undefined
    return new StoreError(
      'OVERLOADED',
      'Too many calls are waiting for an SQLite thread; nothing was changed.',
    )
  }

  #next(): void {
    if (this.#underWay.length > 0 || this.#waiting.length === 0) return
    const now = this.#now()
    if (isStoreError(now)) {
      // The mistake of the application's clock: these calls hear it, and the thread stays of use.
      for (const ticket of this.#waiting.splice(0)) ticket.end({ error: now })
      return
    }
    const together = this.#take().filter((ticket) => ticket.leaves())
    if (together.length === 0) return this.#waiting.length > 0 ? this.#next() : undefined
    this.#underWay = together
    this.#send({ jobs: together.map(({ job }) => job), now })
  }

  #now(): number | StoreError {
    try {
      return this.#clock()
    } catch (error) {
      return toStoreError(error, {})
    }
  }

  /** The job that waits longest, and those of its kind behind it: writes share a transaction, which reads are not part of. */
  #take(): Ticket[] {
    const [first] = this.#waiting as [Ticket]
    const kind = kindOf(first.job)
    const end = this.#waiting.findIndex(({ job }, i) => i === maxTogether || kindOf(job) !== kind)
    return this.#waiting.splice(0, end === -1 ? maxTogether : end)
  }

  #send(message: { readonly jobs: readonly Job[]; readonly now: number }): void {
    try {
      const worker = (this.#worker ??= this.#start())
      worker.ref()
      worker.postMessage(message)
    } catch (error) {
      // Not before the caller has its promise.
      queueMicrotask(() => this.#lost(error))
    }
  }

  #start(): Worker {
    this.#isUp = false
    const worker = new Worker(new URL('./sqlite-worker.js', import.meta.url), {
      workerData: this.#settings,
      // The options of this process (loaders, inspectors) are not for it.
      execArgv: [],
    })
    let reason: unknown
    worker.on('message', (message: 'up' | readonly unknown[]) => {
      if (message === 'up') this.#isUp = true
      else this.#done(fromPlain(message))
    })
    worker.on('error', (error) => {
      reason = error
    })
    worker.on('exit', () => this.#lost(reason))
    return worker
  }

  #done(outcomes: readonly Outcome[]): void {
    const tickets = this.#underWay
    this.#settle()
    outcomes.forEach((outcome, i) => tickets[i]?.end(outcome))
  }

  #lost(reason: unknown): void {
    this.#worker = undefined
    const tickets = this.#underWay
    for (const ticket of tickets)
      ticket.end({
        error: this.#isUp
          ? unanswered('An SQLite thread', ticket.isWrite, causeOf(reason))
          : notStarted(reason),
      })
    this.#settle()
  }

  /** Nothing is under way any more: go on with what waits, or let the process end. */
  #settle(): void {
    this.#underWay = []
    this.#worker?.unref()
    this.#idle()
    this.#next()
  }
}

/** With values of its own: it may wait, and a message takes the whole buffer behind a view along. */
function detached(job: Job): Job {
  if (job.verb === 'write') return { ...job, mutations: job.mutations.map(detachedMutation) }
  if (job.verb !== 'groupWrite' || job.write.kind !== 'commit') return job
  const { commit } = job.write
  const changes = commit.changes.map(({ key, value }) => ({ key, value: value && new Uint8Array(value) }))
  return { ...job, write: { kind: 'commit', commit: { ...commit, changes } } }
}

function detachedMutation(mutation: Mutation<Stored>): Mutation<Stored> {
  return mutation.type === 'set' && typeof mutation.value !== 'string'
    ? { ...mutation, value: new Uint8Array(mutation.value) }
    : mutation
}

/** The error of jobs that no thread ever saw. */
function notStarted(reason: unknown): StoreError {
  const { code } = Object(reason) as { readonly code?: unknown }
  const why = typeof code === 'string' ? ` (${code})` : ''
  const message = `An SQLite thread could not start${why}; nothing was changed. Check the limits of this process.`
  return new StoreError('UNAVAILABLE', message, { cause: causeOf(reason) })
}
