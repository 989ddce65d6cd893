import type { Frame } from '../figures.ts'
import type { Features } from './features.ts'
import type { HistoryPoint, HistoryQuery } from './history.ts'
import type { Violation } from './policies.ts'
import type { ProcessLoad } from './process-load.ts'
import type { Resource } from './saturation.ts'
import type { ServerFeatures } from './servers.ts'
import type { WindowName } from './windows.ts'

/** Keeps the figures of a monitor: windows of the last minutes, and summaries of the past. */
export interface Recorder {
  /** The work of this process in a sliding window, by store and operation. */
  window(name: WindowName): Window
  /** The work of this process since a mark of an earlier call, at most 30 seconds ago; without one, of the last 30 seconds. Spans of calls one after the other do not overlap. */
  since(mark?: number): MarkedWindow
  /** The work of all processes by period, store and operation. Needs `keepIn`. */
  history(query?: HistoryQuery): Promise<HistoryPoint[]>
  /** Numbers of all windows, for a tuner or a page. */
  features(): Features
  /** Policies that do not hold now. */
  violations(): readonly Violation[]
  /** Write now. */
  flush(): Promise<void>
  /** Write a last time, and stop: windows stay as they are. The KeyValue stays open. */
  close(): Promise<void>
  /** `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>
}

/** Something began or ended. */
export type RecorderEvent =
  | { readonly type: 'violated' | 'held'; readonly at: number; readonly violation: Violation }
  | {
      readonly type: 'saturated' | 'relieved'
      readonly at: number
      readonly resource: Resource
      /** The store whose server it belongs to, or the machine of `machines`; without either, the process. */
      readonly store?: string
      readonly machine?: string
      /** From 0 to 1: of the process, the mean of the last five seconds; of a machine, of half a minute. */
      readonly share: number
    }

/** Figures since a mark, and the mark of their end. */
export interface MarkedWindow extends Window {
  /** For the next call: a moment on the recorder's own clock. */
  readonly mark: number
  /** Ids under which this recorder writes its live record: they tell it from others of the same name. */
  readonly writers: readonly string[]
  /** Servers that tell of themselves, by store. */
  readonly servers: { readonly [store: string]: ServerFeatures }
  /** How busy this process was in the last five seconds; `undefined`: not known yet. */
  readonly process: ProcessLoad | undefined
}

/** Figures of a sliding window. */
export interface Window {
  readonly frame: Frame
  /** How much of the window has been seen, in milliseconds: less than its length after the start. */
  readonly seenMs: number
}
