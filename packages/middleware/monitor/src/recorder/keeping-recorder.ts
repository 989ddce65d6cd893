import { StoreError } from '@unikv/core'
import { clearInterval, setInterval } from '@unikv/core/platform'
import type { Counts } from '../counts.ts'
import { type Features, storeFeatures, type WindowFeatures } from './features.ts'
import { type HistoryPoint, type HistoryQuery, historyOf } from './history.ts'
import type { KeptRecords, Retention } from './kept-records.ts'
import { Periods } from './periods.ts'
import type { Policies, Violation } from './policies.ts'
import { ProcessLoads } from './process-load.ts'
import type { KeptRecord, Writer } from './record.ts'
import type { Recorder, RecorderEvent, Window } from './recorder-api.ts'
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
  readonly retention: Retention
  readonly writer: Writer
  readonly onError: (error: unknown) => void
  readonly onEvent: (event: RecorderEvent) => void
  readonly policies: Policies
  readonly clock: () => number
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
  readonly #timers: readonly NodeJS.Timeout[]
  #takenAt: number
  readonly #swept: Promise<void> | undefined
  #flushing: Promise<void> | undefined
  #closed: Promise<void> | undefined

  constructor(counts: Counts, parts: Parts) {
    this.#counts = counts
    this.#parts = parts
    this.#takenAt = parts.clock()
    this.#servers = new Servers(counts, parts.statisticsMs, parts.clock)
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
    return this.#windows.last(windowMs[name], this.#takenAt)
  }

  features(): Features {
    this.#tick()
    const windows = Object.entries(windowMs).map(([name, ms]) => {
      const { frame, seenMs } = this.#windows.last(ms, this.#takenAt)
      const features: WindowFeatures = {
        seenMs,
        stores: storeFeatures(frame, seenMs),
        process: this.#loads.last(ms, this.#takenAt),
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
      await this.#servers.close()
      await this.#swept
      await this.flush()
      await this.#parts.records?.leave(this.#parts.writer.id)
    } finally {
      this.#parts.giveBack()
    }
  }

  #second(): void {
    this.#tick()
    const at = this.#takenAt
    this.#loads.sample(at)
    const { policies, onEvent } = this.#parts
    const { began, ended } = policies.judge((name) => this.#windows.last(windowMs[name], at).frame, at)
    for (const violation of began) onEvent({ type: 'violated', at, violation })
    for (const violation of ended) onEvent({ type: 'held', at, violation })
    this.#tellSaturation(usedByProcess(this.#loads.last(windowMs['5s'], at)))
    this.#servers.look(() => this.#tellSaturation(this.#servers.used()))
  }

  #tellSaturation(used: readonly Used[]): void {
    const at = this.#takenAt
    for (const change of this.#saturation.changes(used)) this.#parts.onEvent({ ...change, at })
  }

  #tick(): void {
    // A clock that is set back must not begin an earlier period again: its record would replace the first one.
    const now = Math.max(this.#parts.clock(), this.#takenAt)
    const frame = this.#counts.take()
    this.#windows.add(frame, this.#takenAt, now)
    this.#periods.add(frame, now)
    this.#takenAt = now
  }

  async #write(): Promise<void> {
    this.#tick()
    const { records, retention, writer, flushMs: everyMs } = this.#parts
    if (records === undefined) return
    const summaries = this.#periods.toWrite()
    const common = { writer, toAt: this.#takenAt, everyMs }
    const kept = summaries.map(
      ({ resolution, startAt: fromAt, frame }): KeptRecord => ({ ...common, resolution, fromAt, frame }),
    )
    const { frame, seenMs } = this.#windows.last(windowMs['5s'], this.#takenAt)
    const live: KeptRecord = {
      ...common,
      resolution: 'now',
      fromAt: this.#takenAt - seenMs,
      frame,
      servers: this.#servers.features(),
    }
    await records.write([...kept, live], retention)
    this.#periods.written(summaries)
  }
}
