import type { Awaitable, Bytes, Store } from '@unikv/core'
import type { DescribeFunction, TestFunction } from '../options.ts'

/** Stands in options where a password or a key would: no error and no store may show it. */
export const plantedSecret = 'planted-s3cret'

/** The adapter under the suite of opening. Hooks that are not given are not tested. */
export interface OpeningOptions<O extends object, V = Bytes> {
  readonly test: TestFunction
  /** Without it the topic stands in front of each title. */
  readonly describe?: DescribeFunction | undefined
  /** The adapter: a store of these options. The suite closes what it gets. */
  make(options: O): Store<V>
  /** Options of a store over a dataset of its own that is empty and ready for use. Called at least once a test. */
  fresh(): Awaitable<O>
  /** Options that `make` must refuse, each with what is wrong about it. Those with a password have `plantedSecret` there. */
  readonly refused?: readonly (readonly [title: string, options: object])[] | undefined
  /** The server of the stores, if there is one. */
  readonly server?: OpeningServer<O> | undefined
  /** Datasets that a program must prepare before it uses them. */
  readonly preparing?: Preparing<O> | undefined
  /** Places that are not for this dataset, each with what is there: something of others, or records of another kind. */
  readonly foreign?:
    | readonly (readonly [title: string, place: () => Awaitable<ForeignPlace<O>>])[]
    | undefined
  /** A client of the driver, to be handed in. Called once a test. */
  readonly client?: (() => Awaitable<HandedIn<O>>) | undefined
  /** The adapter as other processes load it. */
  readonly module?: OpeningModule | undefined
  /** Value number `n`, made anew by each call; different numbers, different values. @default bytes */
  readonly value?: ((n: number) => V) | undefined
  /**
   * How long a condition is waited for before it counts as *never*. It is long, so that a slow machine fails no test.
   *
   * @default 60000
   */
  readonly patienceMs?: number | undefined
  /** Remove what a store of these options left behind. Called after each test, when the store is closed. */
  discard?(options: O): Awaitable<unknown>
}

/** A server, and options that lead to it. */
export interface OpeningServer<O> {
  /** Where it listens: `127.0.0.1:6379`. */
  readonly address: string
  /**
   * Options of a store whose server listens at this address, and whose dataset may be used by all of these. `password`: in place of the
   * right one, where there is one.
   */
  readonly at: (address: string, password?: string) => O
  /** The server refuses a wrong password. @default false */
  readonly asksPassword?: boolean | undefined
  /** As `at`, with TLS, which the server does not speak. */
  withTls?(address: string): O
}

/** How a dataset is prepared, such as a table or a bucket. */
export interface Preparing<O> {
  /** The function of the adapter. Errors name it, if it has a name. */
  prepare(options: O): Promise<unknown>
  /** Options of a store whose dataset was never prepared, and is not by a call. Called once a test. */
  missing(): Awaitable<O>
  /** The same options, with which the first call prepares. */
  onCall(options: O): O
  /** Take away what was prepared, behind the backs of the stores. */
  remove?(options: O): Awaitable<unknown>
}

/** A place that is not for the dataset of these options. */
export interface ForeignPlace<O> {
  readonly options: O
  /** Fails if something of it was changed or lost. */
  readonly intact?: (() => Awaitable<unknown>) | undefined
}

/** A client that the application made. */
export interface HandedIn<O> {
  readonly client: unknown
  /** Options of a store on it, over a dataset that is ready for use. */
  readonly options: O
  /** Use the client past the store; fails if it cannot be used any more. */
  readonly works: () => Awaitable<unknown>
  /** Close it, as its owner. */
  readonly close: () => Awaitable<unknown>
}

/** A built module of an adapter, which Node.js loads as it is. */
export interface OpeningModule {
  readonly url: string | URL
  /** Name of the function that makes a store. */
  readonly make: string
  /** Name of the function that prepares, if there is one. */
  readonly prepare?: string | undefined
  /** Packages that are loaded by the first call and not earlier. */
  readonly drivers?: readonly string[] | undefined
}
