import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { StoreError } from '@unikv/core'
import {
  checkFactoryOptions,
  checkMs,
  type OptionNames,
  unfailingListener,
  unfailingNumbers,
} from '@unikv/core/adapter'
import { clearInterval, setInterval, wallClock } from '@unikv/core/platform'
import type { Counts } from '../counts.ts'
import type { Frame } from '../figures.ts'
import type { Monitor } from '../monitor.ts'
import { countsToTake } from '../taking.ts'
import { type HistoryPoint, type HistoryQuery, historyOf } from './history.ts'
import { type Keeper, KeptRecords, type Retention } from './kept-records.ts'
import { Periods, periodMs } from './periods.ts'
import type { KeptRecord, Writer } from './record.ts'
import { type WindowName, Windows, windowMs } from './windows.ts'

/** Settings of a recorder. */
export interface RecorderOptions {
  /** Where figures are kept: any KeyValue of bytes, whose store can list keys. @default nowhere: windows only */
  readonly keepIn?: Keeper | undefined
  /** How often figures are written, in milliseconds: so much is lost at most when the process is killed. @default 5000 */
  readonly flushMs?: number | undefined
  /** How long summaries of a minute are kept, in milliseconds. @default a day */
  readonly minutesMs?: number | undefined
  /** How long summaries of an hour are kept. @default 30 days */
  readonly hoursMs?: number | undefined
  /** How long summaries of a day are kept. @default 400 days */
  readonly daysMs?: number | undefined
  /** Name of the process in the records. @default the host and the number of the process */
  readonly processName?: string | undefined
  /** Told of figures that could not be written; they are written with the next ones. */
  readonly onError?: ((error: unknown) => unknown) | undefined
  /** Wall clock in milliseconds. @default Date.now */
  readonly clock?: (() => number) | undefined
}

/** Keeps the figures of a monitor: windows of the last minutes, and summaries of the past. */
export interface Recorder {
  /** The work of this process in a sliding window, by store and operation. */
  window(name: WindowName): Window
  /** The work of all processes by period, store and operation. Needs `keepIn`. */
  history(query?: HistoryQuery): Promise<HistoryPoint[]>
  /** Write now. */
  flush(): Promise<void>
  /** Write a last time, and stop. The KeyValue stays open. */
  close(): Promise<void>
  /** `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>
}

/** Figures of a sliding window. */
export interface Window {
  readonly frame: Frame
  /** How much of the window has been seen, in milliseconds: less than its length after the start. */
  readonly seenMs: number
}

const names: OptionNames<RecorderOptions> = {
  keepIn: true,
  flushMs: true,
  minutesMs: true,
  hoursMs: true,
  daysMs: true,
  processName: true,
  onError: true,
  clock: true,
}

/** How often the counts are taken. */
const tickMs = 1000

/**
 * Record the figures of a monitor from now on. Close it before the KeyValue that it writes to.
 *
 * @throws {StoreError} `INVALID_CONFIG` for a wrong option, or if the monitor has a recorder; `UNSUPPORTED` for a store that cannot list keys
 */
export function recorder(monitor: Monitor, options: RecorderOptions = {}): Recorder {
  checkFactoryOptions('recorder', options, names)
  const {
    flushMs = 5000,
    minutesMs = periodMs.day,
    hoursMs = 30 * periodMs.day,
    daysMs = 400 * periodMs.day,
  } = options
  checkMs({ flushMs }, { least: 100 })
  checkMs({ minutesMs, hoursMs, daysMs }, { least: periodMs.minute })
  const { keepIn, processName = `${hostname()}:${process.pid}` } = options
  const records = keepIn === undefined ? undefined : new KeptRecords(keepIn)
  const { counts, giveBack } = countsToTake(monitor)
  return new KeepingRecorder(counts, {
    records,
    flushMs,
    retention: { minute: minutesMs, hour: hoursMs, day: daysMs },
    writer: { id: randomUUID().slice(0, 13), name: processName },
    onError: unfailingListener('recorder', 'onError', options.onError),
    clock: unfailingNumbers('recorder', 'clock', options.clock, wallClock),
    giveBack,
  })
}

interface Parts {
  readonly records: KeptRecords | undefined
  readonly flushMs: number
  readonly retention: Retention
  readonly writer: Writer
  readonly onError: (error: unknown) => void
  readonly clock: () => number
  readonly giveBack: () => void
}

class KeepingRecorder implements Recorder {
  readonly #counts: Counts
  readonly #parts: Parts
  readonly #windows = new Windows()
  readonly #periods = new Periods()
  readonly #timers: readonly NodeJS.Timeout[]
  #takenAt: number
  #flushing: Promise<void> | undefined
  #closed: Promise<void> | undefined

  constructor(counts: Counts, parts: Parts) {
    this.#counts = counts
    this.#parts = parts
    this.#takenAt = parts.clock()
    counts.take()
    const flush = (): void => void this.flush().catch(parts.onError)
    this.#timers = [setInterval(() => this.#tick(), tickMs), setInterval(flush, parts.flushMs)]
    for (const timer of this.#timers) timer.unref()
    void parts.records?.sweep(parts.retention, this.#takenAt).catch(parts.onError)
  }

  window(name: WindowName): Window {
    if (!Object.hasOwn(windowMs, name))
      throw new StoreError('INVALID_ARGUMENT', `A window is one of ${Object.keys(windowMs).join(', ')}.`)
    this.#tick()
    return this.#windows.last(windowMs[name], this.#takenAt)
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
    try {
      await this.flush()
      await this.#parts.records?.leave(this.#parts.writer.id)
    } finally {
      this.#parts.giveBack()
    }
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
    const live: KeptRecord = { ...common, resolution: 'now', fromAt: this.#takenAt - seenMs, frame }
    await records.write([...kept, live], retention)
    this.#periods.written(summaries)
  }
}
