import type { Awaitable, Bytes, KeyValue, Store } from '@unikv/core'
import type { StoreOpener } from '../run/target.ts'
import type { ClientPlan } from './clients.ts'
import type { Driver } from './driver.ts'
import type { DriverOptions } from './local-driver.ts'
import type { Share } from './share.ts'

/** Workers elsewhere that share what a driver does, such as those of `@unikv/bench/workers`. */
export interface Crew {
  /**
   * A driver of these workers, when each of them has opened the store.
   *
   * @throws {StoreError} if too few workers came in time, or if one of them cannot open the store or finds other records
   */
  driver(options: CrewDriverOptions): Promise<Driver>
}

/** Where drivers in other threads and elsewhere drive a store, and with what. */
export interface ElsewhereOptions extends Omit<DriverOptions, 'clients' | 'share' | 'inserted' | 'clock'> {
  readonly opener: StoreOpener
  /** Where `keys` is in the store, from the outermost namespace on. */
  readonly namespace: readonly string[]
  /** How the callers of all of them together reach the store. @default ownCallers */
  readonly plan?: ClientPlan | undefined
  /** Their work. @default operations */
  readonly program?: DriveProgram | undefined
}

/** Where workers drive a store, and with what. */
export interface CrewDriverOptions extends ElsewhereOptions {
  readonly workers: number
  /** Name of the store, by which a worker may have a URL of its own. */
  readonly name: string
  /** URL of the store without secrets. */
  readonly shownUrl: string
  /** Ends the wait for workers. */
  readonly signal: AbortSignal
}

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
