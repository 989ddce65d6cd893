import { randomUUID } from 'node:crypto'
import { StoreError } from '@unikv/core/adapter'
import { clearInterval, setInterval } from '@unikv/core/platform'
import type { Counts } from '../counts.ts'
import { type Features, storeFeatures, type WindowFeatures } from './features.ts'
import { type HistoryPoint, type HistoryQuery, historyOf } from './history.ts'
import type { KeptRecords, Retention } from './kept-records.ts'
import { Machines } from './machines.ts'
import { Periods, periodMs } from './periods.ts'
import type { Policies, Violation } from './policies.ts'
import { ProcessLoads } from './process-load.ts'
import type { KeptRecord } from './record.ts'
import type { MarkedWindow, Recorder, RecorderEvent, Window } from './recorder-api.ts'
import { Saturation, type Used, usedByProcess } from './saturation.ts'
import { Servers } from './servers.ts'
import { type WindowName, Windows, windowMs } from './windows.ts'

/** How often the counts are taken. */
const tickMs = 1000

/** The parts of a recorder. */
export interface Parts {
  readonly records: KeptRecords | undefined
  readonly flushMs: number
  readonly statisticsMs: number
  readonly machines: ReadonlyMap<string, string>
  readonly retention: Retention
  readonly processName: string
  readonly onError: (error: unknown) => void
  readonly onEvent: (event: RecorderEvent) => void
  readonly policies: Policies
  /** Wall clock. */
  readonly clock: () => number
  readonly monotonicClock: () => number
  readonly giveBack: () => void
}

/** A recorder with its timers. */
export class KeepingRecorder implements Recorder {
  readonly #counts: Counts
  readonly #parts: Parts
  readonly #windows = new Windows()
  readonly #periods = new Periods()
  readonly #loads = new ProcessLoads()
  readonly #saturation = new Saturation()
  readonly #servers: Servers
  readonly #machines: Machines
  readonly #timers: readonly NodeJS.Timeout[]
  #writerId = newId()
  /** Ids of this process before its clock was set back, whose live records it must remove. */
  #earlierIds: readonly string[] = []
  /** Wall clock, for periods. */
  #takenAt: number
  /** The same moment on a clock for windows, which never goes back, and its last reading. */
  #steadyAt: number
  #readAt: number
  readonly #swept: Promise<void> | undefined
  #flushing: Promise<void> | undefined
  #closed: Promise<void> | undefined
  #isOver = false

  constructor(counts: Counts, parts: Parts) {
    this.#counts = counts
    this.#parts = parts
    this.#takenAt = parts.clock()
    this.#readAt = parts.monotonicClock()
    this.#steadyAt = this.#readAt
    this.#servers = new Servers(counts, parts.statisticsMs, parts.clock)
    this.#machines = new Machines(parts.machines)
    counts.take()
    const flush = (): void => void this.flush().catch(parts.onError)
    this.#timers = [setInterval(() => this.#second(), tickMs), setInterval(flush, parts.flushMs)]
    for (const timer of this.#timers) timer.unref()
    this.#swept = parts.records?.sweep(parts.retention, this.#takenAt).catch(parts.onError)
  }

  window(name: WindowName): Window {
    if (!Object.hasOwn(windowMs, name))
      throw new StoreError('INVALID_ARGUMENT', `A window is one of ${Object.keys(windowMs).join(', ')}.`)
    this.#tick()
    return this.#windows.last(windowMs[name], this.#steadyAt)
  }

  since(mark: number = this.#steadyAt - windowMs['30s']): MarkedWindow {
    if (!Number.isFinite(mark))
      throw new StoreError('INVALID_ARGUMENT', 'since() takes the mark that an earlier call returned.')
    this.#tick()
    const writers = [...this.#earlierIds, this.#writerId]
    return {
      ...this.#windows.since(mark, this.#steadyAt),
      mark: this.#steadyAt,
      writers,
      servers: this.#servers.features(),
      process: this.#loads.last(windowMs['5s'], this.#steadyAt),
    }
  }

  features(): Features {
    this.#tick()
    const windows = Object.entries(windowMs).map(([name, ms]) => {
      const { frame, seenMs } = this.#windows.last(ms, this.#steadyAt)
      const features: WindowFeatures = {
        seenMs,
        stores: storeFeatures(frame, seenMs),
        process: this.#loads.last(ms, this.#steadyAt),
        machines: this.#machines.last(ms, this.#steadyAt),
      }
      return [name, features] as const
    })
    return {
      at: this.#takenAt,
      windows: Object.fromEntries(windows) as unknown as Features['windows'],
      servers: this.#servers.features(),
    }
  }

  violations(): readonly Violation[] {
    return this.#parts.policies.violations
  }

  async history(query: HistoryQuery = {}): Promise<HistoryPoint[]> {
    const { records, clock } = this.#parts
    if (records === undefined)
      throw new StoreError(
        'INVALID_CONFIG',
        'history() needs `keepIn`: where the recorder keeps its figures.',
      )
    await this.flush()
    return historyOf(records, query, clock())
  }

  async flush(): Promise<void> {
    await this.#flushing?.catch(() => {})
    this.#flushing ??= this.#write().finally(() => {
      this.#flushing = undefined
    })
    await this.#flushing
  }

  close(): Promise<void> {
    this.#closed ??= this.#close()
    return this.#closed
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #close(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer)
    this.#loads.close()
    try {
      await Promise.all([this.#servers.close(), this.#machines.close()])
      await this.#swept
      await this.flush()
      await this.#parts.records?.leave(this.#writerId)
    } finally {
      this.#isOver = true
      this.#parts.giveBack()
    }
  }

  #second(): void {
    this.#tick()
    const [at, steadyAt] = [this.#takenAt, this.#steadyAt]
    this.#loads.sample(steadyAt)
    const { policies, onEvent } = this.#parts
    const { began, ended } = policies.judge((name) => this.#windows.last(windowMs[name], steadyAt).frame, at)
    for (const violation of began) onEvent({ type: 'violated', at, violation })
    for (const violation of ended) onEvent({ type: 'held', at, violation })
    this.#tellSaturation(usedByProcess(this.#loads.last(windowMs['5s'], steadyAt)))
    this.#servers.look(() => this.#tellSaturation(this.#servers.used()))
    this.#machines.look(steadyAt, () => this.#tellSaturation(this.#machines.used(steadyAt)))
  }

  #tellSaturation(used: readonly Used[]): void {
    const at = this.#takenAt
    for (const change of this.#saturation.changes(used)) this.#parts.onEvent({ ...change, at })
  }

  #tick(): void {
    // After it was closed, the counts may be those of another recorder.
    if (this.#isOver) return
    const readAt = this.#parts.monotonicClock()
    const steadyAt = this.#steadyAt + Math.max(0, readAt - this.#readAt)
    this.#readAt = readAt
    const frame = this.#counts.take()
    this.#windows.add(frame, this.#steadyAt, steadyAt)
    this.#periods.add(frame, this.#wallTime(), this.#writerId)
    this.#steadyAt = steadyAt
  }

  /**
   * The record of a period that begins again would replace the first one. So a clock that is set back a little is waited for;
   * if it is set back further, this goes on as another writer.
   */
  #wallTime(): number {
    const now = this.#parts.clock()
    if (now < this.#takenAt - periodMs.minute) {
      this.#earlierIds = [...this.#earlierIds, this.#writerId]
      this.#writerId = newId()
      this.#takenAt = now
    }
    this.#takenAt = Math.max(now, this.#takenAt)
    return this.#takenAt
  }

  async #write(): Promise<void> {
    this.#tick()
    const { records, retention, processName: name, flushMs: everyMs, onError } = this.#parts
    if (records === undefined || this.#isOver) return
    const summaries = this.#periods.toWrite()
    const common = { toAt: this.#takenAt, everyMs }
    const kept = summaries.map(({ resolution, startAt: fromAt, frame, writerId: id }): KeptRecord => {
      return { ...common, writer: { id, name }, resolution, fromAt, frame }
    })
    const { frame, seenMs } = this.#windows.last(windowMs['5s'], this.#steadyAt)
    const live: KeptRecord = {
      ...common,
      writer: { id: this.#writerId, name },
      resolution: 'now',
      fromAt: this.#takenAt - seenMs,
      frame,
      servers: this.#servers.features(),
      process: this.#loads.last(windowMs['5s'], this.#steadyAt),
    }
    const earlier = this.#earlierIds
    await records.write([...kept, live], retention)
    this.#periods.written(summaries)
    for (const id of earlier) await records.leave(id)
    this.#earlierIds = this.#earlierIds.filter((id) => !earlier.includes(id))
    const lost = this.#periods.takeLost()
    if (lost > 0) onError(lostSummaries(lost))
  }
}

/** Each recorder writes under an id of its own. */
function newId(): string {
  return randomUUID().slice(0, 13)
}

function lostSummaries(count: number): StoreError {
  const what = `${count} summaries are lost: the store that keeps them failed for too long, and too many waited.`
  return new StoreError('UNAVAILABLE', what)
}
