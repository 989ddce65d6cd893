import { StoreError } from '@unikv/core'
import { performance, unwatch, watch } from '@unikv/core/platform'
import { errorOf } from '../../drive/threads/messages.ts'
import type { Outcome, Report } from '../queue/job.ts'
import { contactLost } from '../queue/redis.ts'
import type { JobEvent } from './job-events.ts'
import { Inbox, type PhaseOrder, type Seat, type SeatEnd, shareText } from './seat.ts'
import type { Session } from './session.ts'

interface Message<A> {
  readonly seat: Seat<A>
  readonly jobId: string
  readonly event: JobEvent
}

/** One phase: all workers get ready, begin together, and answer. */
export class Phase<A> {
  readonly #session: Session
  readonly #order: PhaseOrder
  readonly #number: number
  readonly #inbox = new Inbox<Message<A>>()
  readonly #seats: readonly Seat<A>[]
  #beginning: 'no' | 'asked' | 'allowed' | 'begun' = 'no'
  /** When the workers were told to end early. */
  #stoppedAt: number | undefined
  #failure: unknown
  #lookedAt = performance.now()
  #hasToldOfWait = false

  constructor(session: Session, order: PhaseOrder) {
    this.#session = session
    this.#order = order
    this.#number = order.jobs[0]?.phase ?? 0
    this.#seats = order.jobs.map((data) => {
      return { data, jobId: '', worker: undefined, isReady: false, waitsSince: 0, end: undefined }
    })
  }

  /**
   * How each share ended.
   *
   * @throws the first error of a worker; the reason of the signal, if it came before the phase began; `UNAVAILABLE`
   * if no worker took a share in time
   */
  async run(): Promise<readonly SeatEnd<A>[]> {
    const { signal } = this.#order
    const watcher = { handleEvent: () => this.#inbox.wake() }
    watch(signal, watcher)
    try {
      for (const seat of this.#seats) await this.#offer(seat)
      while (this.#seats.some(({ end }) => end === undefined)) await this.#step()
    } catch (error) {
      throw contactLost(this.#session.address, error)
    } finally {
      unwatch(signal, watcher)
    }
    if (this.#failure !== undefined) throw this.#failure // oxlint-disable-line typescript/only-throw-error -- what others threw
    if (this.#beginning !== 'begun') throw signal.reason
    return this.#seats.map(({ end }) => end as SeatEnd<A>)
  }

  async #step(): Promise<void> {
    const { heartbeatMs } = this.#session.options
    const message = await this.#inbox.next(heartbeatMs / 4)
    if (message !== undefined && message.jobId === message.seat.jobId && message.seat.end === undefined)
      await this.#hear(message.seat, message.event)
    if (performance.now() - this.#lookedAt > heartbeatMs) await this.#look()
    if (this.#order.signal.aborted || this.#failure !== undefined) await this.#stop()
    else if (this.#beginning !== 'begun' && this.#seats.every(({ isReady }) => isReady)) await this.#begin()
  }

  /** Put the share where a worker finds it. */
  async #offer(seat: Seat<A>): Promise<void> {
    this.#wait(seat)
    seat.jobId = ''
    const early: JobEvent[] = []
    const hear = (event: JobEvent): void => {
      if (seat.jobId === '') early.push(event)
      else this.#inbox.put({ seat, jobId, event })
    }
    const jobId = await this.#session.add(seat.data, hear)
    seat.jobId = jobId
    for (const event of early) hear(event)
  }

  /** A worker that is lost while the caller is asked is lost before the phase began. */
  async #begin(): Promise<void> {
    if (this.#beginning === 'no') this.#ask()
    if (this.#beginning !== 'allowed') return
    this.#beginning = 'begun'
    await this.#session.begin(this.#number)
  }

  /** The caller is asked once whether the phase may begin, when all workers are ready. */
  #ask(): void {
    const { start } = this.#order
    this.#beginning = start === undefined ? 'allowed' : 'asked'
    const allowed = (): void => void (this.#beginning = 'allowed')
    const refused = (error: unknown): void => void (this.#failure ??= error)
    void start?.()
      .then(allowed, refused)
      .then(() => this.#inbox.wake())
  }

  async #hear(seat: Seat<A>, event: JobEvent): Promise<void> {
    switch (event.type) {
      case 'report':
        return this.#told(seat, event.report)
      case 'completed':
        return this.#completed(seat)
      case 'stalled':
        return this.#silent(seat, true)
      case 'failed':
        return this.#silent(seat, false)
    }
  }

  #told(seat: Seat<A>, report: Report): void {
    if (report.type === 'taken') seat.worker = report.worker
    // A worker that counts as lost may still say so.
    if (report.type === 'ready' && report.worker === seat.worker) seat.isReady = true
    this.#order.onReport?.(seat.data.share.index, report)
  }

  async #completed(seat: Seat<A>): Promise<void> {
    const outcome = await this.#session.outcome<A>(seat.jobId)
    await this.#session.remove(seat.jobId)
    if (outcome !== undefined) return this.#answered(seat, outcome)
    await this.#silent(seat, false)
  }

  async #answered(seat: Seat<A>, outcome: Outcome<A>): Promise<void> {
    const { worker } = outcome
    switch (outcome.type) {
      case 'done':
        return this.#end(seat, outcome)
      case 'failed':
        this.#failure ??= errorOf(outcome.error)
        return this.#end(seat, outcome)
      case 'left':
        if (outcome.answer !== null) return this.#departed(seat, outcome)
        return this.#vacant(seat, `Worker ${worker} was stopped`, false)
      case 'late':
        return this.#departed(seat, { type: 'lost', worker: seat.worker ?? worker })
      case 'orphaned':
        return this.#vacant(seat, `Worker ${worker} missed the manager's signs of life`, false)
    }
  }

  /** `isOffered`: BullMQ has put the job back for other workers already. */
  #silent(seat: Seat<A>, isOffered: boolean): Promise<void> {
    return this.#vacant(
      seat,
      `Worker ${seat.worker ?? '(unknown)'} was silent for three heartbeats`,
      isOffered,
    )
  }

  /** Another worker does the share if it can still be done. */
  async #vacant(seat: Seat<A>, what: string, isOffered: boolean): Promise<void> {
    if (this.#stoppedAt !== undefined || (this.#beginning === 'begun' && !this.#order.isRepeatable)) {
      if (isOffered) await this.#session.remove(seat.jobId)
      return this.#departed(seat, { type: 'lost', worker: seat.worker ?? '(unknown)' })
    }
    this.#session.options.onNotice(`${what}: its ${shareText(seat)} goes to another worker.`)
    if (!isOffered) return this.#offer(seat)
    this.#wait(seat)
  }

  /** The run is invalid: there is no use in measuring on. */
  async #departed(seat: Seat<A>, end: SeatEnd<A>): Promise<void> {
    this.#end(seat, end)
    if (this.#order.endsWithoutAll === true) await this.#session.stop(this.#number)
  }

  #wait(seat: Seat<A>): void {
    seat.worker = undefined
    seat.isReady = false
    seat.waitsSince = performance.now()
  }

  #end(seat: Seat<A>, end: SeatEnd<A>): void {
    seat.end = end
    if (end.type !== 'done') this.#order.onLost?.(seat.data.share.index)
  }

  /** Events can be lost: ask for the state of each job now and then. */
  async #look(): Promise<void> {
    this.#lookedAt = performance.now()
    for (const seat of this.#seats) {
      if (seat.end !== undefined) continue
      const state = await this.#session.stateOf(seat.jobId)
      if (state === 'completed') await this.#completed(seat)
      else if (state === 'failed' || state === 'unknown') await this.#silent(seat, false)
    }
    this.#lookForWorkers()
  }

  #lookForWorkers(): void {
    const { waitMs, heartbeatMs, onNotice } = this.#session.options
    const waiting = this.#seats.filter(({ worker, end }) => worker === undefined && end === undefined)
    const waitedMs = Math.max(0, ...waiting.map(({ waitsSince }) => performance.now() - waitsSince))
    const found = this.#seats.length - waiting.length
    const { shown } = this.#session.address
    if (waitedMs > waitMs) this.#failure ??= noWorkers(waitedMs, found, this.#seats.length, shown)
    else if (waitedMs > heartbeatMs && !this.#hasToldOfWait) {
      this.#hasToldOfWait = true
      onNotice(`Waiting for workers: ${found} of ${this.#seats.length} are there. ${started(shown)}`)
    }
  }

  /** Tell all workers to end, and do not wait for those that do not answer. */
  async #stop(): Promise<void> {
    if (this.#stoppedAt === undefined) {
      this.#stoppedAt = performance.now()
      await this.#session.stop(this.#number)
    }
    const isLate = performance.now() - this.#stoppedAt > 4 * this.#session.options.heartbeatMs
    for (const seat of this.#seats) {
      const isOver = isLate || (seat.worker === undefined && (await this.#session.remove(seat.jobId)))
      if (seat.end === undefined && isOver)
        this.#end(seat, { type: 'lost', worker: seat.worker ?? '(unknown)' })
    }
  }
}

/** How to start a worker. */
function started(shown: string): string {
  return `Start each with: npx unikv bench worker --queue ${shown}`
}

/** No worker took a share in time. */
function noWorkers(waitedMs: number, found: number, of: number, shown: string): StoreError {
  const message = `Only ${found} of ${of} workers came within ${Math.round(waitedMs / 1_000)} s. ${started(shown)}`
  return new StoreError('UNAVAILABLE', message)
}
