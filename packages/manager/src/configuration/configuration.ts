import type { AnyLayer, AnyStore, Feature } from '@unikv/core'
import type { Policy, RecorderEvent } from '@unikv/monitor/recorder'
import type { LayerName } from '../layers/layer-types.ts'

/** Stores by name, and how they are watched. */
export interface Configuration {
  /** A URL, or a store with its layers, by name. */
  readonly stores: { readonly [name: string]: string | StoreConfiguration }
  /** Count calls of all stores, and keep the figures. @default false */
  readonly monitor?: boolean | MonitorConfiguration | undefined
  /** For the page of `@unikv/dashboard`. @default nothing */
  readonly dashboard?: DashboardConfiguration | undefined
}

/** The page over these stores. */
export interface DashboardConfiguration {
  /** How values are decoded that no layer decodes. The first that fits a key is used. @default the first bytes decide */
  readonly decoders?: readonly DecoderConfiguration[] | undefined
}

/** A decoder of the page. `gzip`, `brotli` and `zstd` unpack, and others may follow them. */
export type DecoderName =
  | 'json'
  | 'text'
  | 'hex'
  | 'msgpack'
  | 'cbor'
  | 'protobuf'
  | 'image'
  | 'gzip'
  | 'brotli'
  | 'zstd'

/** How the page decodes the values of some keys. It has exactly one of `as`, `module` and `decode`. */
export interface DecoderConfiguration {
  /** Only keys of this store. @default all stores */
  readonly store?: string | undefined
  /** Keys as `session:*`: a star stands for any characters. Namespaces are left out. */
  readonly keys: string
  /** A decoder of the page, or several, one after the other, such as `['gzip', 'msgpack']`. */
  readonly as?: DecoderName | readonly DecoderName[] | undefined
  /** The path of the `.proto` file of `protobuf`. */
  readonly proto?: string | undefined
  /** The full name of a message of that file. */
  readonly message?: string | undefined
  /** The path of a module that exports `decode(bytes, { key })`, and `encode(value, { key })` if values can be edited. It runs in a thread. */
  readonly module?: string | undefined
  /** A function of the program: in TypeScript and JavaScript only. It runs in this process, so it must be quick. */
  readonly decode?: ((bytes: Uint8Array, about: { readonly key: string }) => unknown) | undefined
  /** The bytes of an edited value, for values of `decode` that can be edited. */
  readonly encode?:
    | ((value: unknown, about: { readonly key: string }) => Uint8Array | Promise<Uint8Array>)
    | undefined
}

/** A configuration as a manager uses it: each store is an object, and variables are replaced by their values. */
export interface UsedConfiguration {
  readonly stores: { readonly [name: string]: StoreConfiguration }
  readonly monitor: MonitorConfiguration | undefined
  /** Paths in it are absolute if it was loaded from a file. */
  readonly dashboard?: DashboardConfiguration | undefined
}

/** One store. It has exactly one of `url`, `store`, `from`, `mirror` and `fallback`. */
export interface StoreConfiguration {
  /** Where the records are: a URL of `open`. */
  readonly url?: string | undefined
  /** A store that the program has made itself. */
  readonly store?: AnyStore | undefined
  /** The name of another store, whose connection and layers are shared. */
  readonly from?: string | undefined
  /** Two other stores by name: writes go to both. Further options are those of `mirror`. */
  readonly mirror?: PairConfiguration | undefined
  /** Two other stores by name: the second answers what the first does not. Further options are those of `fallback`. */
  readonly fallback?: PairConfiguration | undefined
  /** Which records are ours: a key prefix, folder or table. Only with `url`. @default 'unikv' */
  readonly dataset?: string | undefined
  /** A part of the dataset. */
  readonly namespace?: string | undefined
  /** Layers, the outermost first: a name, a name with options, or a layer of the program. @default none: values are bytes */
  readonly layers?: readonly LayerConfiguration[] | undefined
  /** Features that the program needs: a store without them is refused, and its type has them. */
  readonly needs?: readonly Feature[] | undefined
  /** Deadline of calls that name none, in milliseconds. @default 5000 */
  readonly timeoutMs?: number | undefined
  /** Consistency level of reads that name none. @default the level of the store */
  readonly readConsistency?: string | undefined
  /** How long closing waits for calls under way, in milliseconds. @default 5000 */
  readonly graceMs?: number | undefined
  /** Whether the monitor counts its calls. @default true if there is a monitor, but not for the store that keeps its figures */
  readonly monitored?: boolean | undefined
}

/** A layer: its name, `{ name: options }`, or a layer that was made in TypeScript or JavaScript. */
export type LayerConfiguration = LayerName | { readonly [name in LayerName]?: object } | AnyLayer

/** Two stores by name. */
export interface PairConfiguration {
  readonly primary: string
  readonly secondary: string
  readonly [option: string]: unknown
}

/** The monitor. Times are milliseconds. */
export interface MonitorConfiguration {
  /** Name of the store that keeps the figures. @default none: they are in memory only */
  readonly keepIn?: string | undefined
  /** @default 5000 */
  readonly flushMs?: number | undefined
  /** @default a day */
  readonly minutesMs?: number | undefined
  /** @default 30 days */
  readonly hoursMs?: number | undefined
  /** @default 400 days */
  readonly daysMs?: number | undefined
  /** How often servers are asked for their statistics. @default 30000 */
  readonly statisticsMs?: number | undefined
  /** Addresses of node_exporter by names of machines, whose processor, memory and network are watched. @default none */
  readonly machines?: { readonly [machine: string]: string } | undefined
  /** @default the host and the number of the process */
  readonly processName?: string | undefined
  /** How many of the latest calls are kept in detail. @default 1000 */
  readonly recentCalls?: number | undefined
  /** Promises about stores, judged every second. @default none */
  readonly policies?: readonly Policy[] | undefined
  /** Told of figures that could not be written. @default a warning of the process, once */
  readonly onError?: ((error: unknown) => unknown) | undefined
  /** Told when a policy begins to be violated or holds again, and of a process or server that is saturated. */
  readonly onEvent?: ((event: RecorderEvent) => unknown) | undefined
}

/** A configuration with its exact type, so that `openStores` knows the type of each store. */
export function defineConfig<const C extends Configuration>(config: C): C {
  return config
}
