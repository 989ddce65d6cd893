import type { LayerName } from '@unikv/manager'
import type { ProcessLoad, WindowName } from '@unikv/monitor/recorder'
import type { StoreWork, WorkFigures } from '../../observe/work.ts'

/** The unit of a number; `yes` is 1, no is 0. */
export type Unit =
  | 'calls/s'
  | 'bytes/s'
  | 'bytes/h'
  | 'bytes'
  | 'records'
  | 'share'
  | 'times'
  | 'ms'
  | 's'
  | 'count'
  | 'yes'

/** One number of a store: its name, its unit, and how it is taken. */
export interface Feature {
  readonly name: string
  readonly unit: Unit
  readonly of: (seen: Seen) => number | undefined
}

/** All that the numbers of a store are taken from. */
export interface Seen {
  /** Figures of each window, of all processes. */
  readonly work: { readonly [over in WindowName]: StoreWork }
  /** Processes of the application, the busiest first. */
  readonly loads: readonly ProcessLoad[]
  readonly processes: number
  /** Figures of the server; `undefined`: it does not tell. */
  readonly server: ServerFigures | undefined
  readonly promises: readonly PromiseState[]
  readonly kind: string
  /** Layers that are there now, and those that should be there once what was approved is done. */
  readonly present: ReadonlySet<string>
  readonly intended: ReadonlySet<string>
  readonly pair: 'mirror' | 'fallback' | undefined
  /** Indexes that are known of. */
  readonly indexes: number
  /** Names of tactics that are in effect, and of those that are approved or under way. */
  readonly inEffect: ReadonlySet<string>
  readonly underWay: ReadonlySet<string>
  readonly isChanging: boolean
  /** For so many seconds it has been changing or stable, at most a day. */
  readonly forSeconds: number
  /** Queries by attributes, the most frequent first. */
  readonly queries: readonly BusyQuery[]
}

/** Figures of a server as numbers of their own. */
export interface ServerFigures {
  /** Uses of resources, from 0 to 1. */
  readonly connections: number | undefined
  readonly memory: number | undefined
  readonly storage: number | undefined
  readonly disk: number | undefined
  readonly openConnections: number | undefined
  readonly hitRate: number | undefined
  readonly evictionsPerSecond: number | undefined
  readonly operationsPerSecond: number | undefined
  readonly storedBytes: number | undefined
  readonly growthBytesPerHour: number | undefined
  readonly records: number | undefined
}

/** A promise as it stands. */
export interface PromiseState {
  /** How much of what is allowed is found: 1 is the limit, more is broken. */
  readonly use: number
  /** For so many seconds it has been broken; `undefined`: it is kept. */
  readonly brokenFor: number | undefined
}

/** A query by attributes. */
export interface BusyQuery {
  readonly figures: WorkFigures
  readonly isIndexed: boolean
}

/** A layer that a configuration can name and a tactic can add. */
export const layers = [
  'cache',
  'tier',
  'compression',
  'encryption',
  'delta',
  'writeBehind',
  'resilience',
] as const satisfies readonly LayerName[]
