import type { Awaitable, Bytes, KeyValue, Store } from '@unikv/core'
import type { Driver } from './driver.ts'
import type { Share } from './share.ts'

/** A driver that does other work than the operations of a workload, such as sessions, in this thread, in others and on workers elsewhere. */
export interface DriveProgram {
  /** The name by which workers elsewhere know it. */
  readonly name: string
  /** URL of the module that threads load: a `ProgramModule`. */
  readonly module: string
  /** Settings of the work: plain JSON. */
  readonly options: unknown
  /** The `own` of a sample of several drivers, out of those of its parts. */
  readonly merged: (parts: readonly unknown[]) => unknown
}

/** Where a program works. */
export interface ProgramPlace {
  readonly store: Store<Bytes>
  /** The namespace of the run. */
  readonly keys: KeyValue<string, Bytes>
  readonly share: Share
  readonly options: unknown
}

/** A module with a program. */
export interface ProgramModule {
  /** The driver of a share. It opens no store. */
  readonly programDriver: (place: ProgramPlace) => Awaitable<Driver>
}
