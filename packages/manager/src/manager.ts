import type { Monitor } from '@unikv/monitor'
import type { Recorder } from '@unikv/monitor/recorder'
import type { Configuration, UsedConfiguration } from './configuration/configuration.ts'
import type { EnvironmentOptions } from './configuration/configured.ts'
import type { Health } from './health.ts'
import type { Reloaded } from './reload.ts'
import type { StoresOf } from './store-types.ts'

/** Settings of `ready`. */
export interface ReadyOptions {
  /** How long a store may take to answer, in milliseconds. @default 2000 */
  readonly timeoutMs?: number | undefined
}

/** Settings of `reload`. */
export interface ReloadOptions extends EnvironmentOptions {
  /** How long a store that was exchanged still takes calls, in milliseconds. @default 5000 */
  readonly lingerMs?: number | undefined
}

/** The stores of a configuration, opened, and what watches them. */
export interface Manager<C extends Configuration = Configuration, S = StoresOf<C>> {
  /** The stores by name. After a `reload` those of the new configuration. */
  readonly stores: S
  /** The configuration in use, each store as an object. Its variables are replaced, so it holds passwords: log their names alone. */
  readonly configuration: UsedConfiguration
  /** The monitor of all stores, if the configuration has one. */
  readonly monitor: Monitor | undefined
  /** Keeps the figures of the monitor: windows, and the past if it is kept in a store. */
  readonly recorder: Recorder | undefined
  /** Asks each store for an answer: for a readiness probe. */
  ready(this: void, options?: ReadyOptions): Promise<Health>
  /** Whether the manager is open: for a liveness probe, which must not depend on servers. */
  readonly live: boolean
  /**
   * Go on with another configuration: for a new password, another server, or further stores. Stores whose options are the same stay
   * open. From now on `stores` has the new ones: take a store from there for each piece of work. A store that was exchanged or
   * removed takes calls for `lingerMs`, and ends those under way before it closes. A scan that goes on after that ends with `CLOSED`.
   *
   * Options are compared by content. An object that the program made, such as a keyring or a layer, equals only itself: a file that makes it
   * anew changes the store. `onEvent` and `onError` of the monitor are those of the new configuration.
   *
   * A function gets the configuration in use and returns another one, in which `${` is only text.
   *
   * @returns the names of the stores that changed, and how long it took, once the former ones are closed
   * @throws {StoreError} `INVALID_CONFIG` for a mistake, or a change that would lose something; nothing is changed then
   * @throws {AggregateError} with the errors of former stores that could not be closed; the new ones are in use
   */
  reload(
    this: void,
    config: Configuration | ((now: UsedConfiguration) => Configuration),
    options?: ReloadOptions,
  ): Promise<Reloaded>
  /**
   * Close all stores, those first that others do not use. Calls under way, and queues of write-behind, end within `graceMs`.
   *
   * @throws {AggregateError} with the errors of stores that could not be closed; the others are closed
   */
  close(this: void): Promise<void>
  /** `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>
}

/** Any manager, for code that works with whichever stores it has. */
export type AnyManager = Manager<Configuration, object>
