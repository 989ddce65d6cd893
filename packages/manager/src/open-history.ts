import type { Bytes, KeyValue } from '@unikv/core'
import { type KeptHistory, keptHistory } from '@unikv/monitor/recorder'
import type { Configuration } from './configuration/configuration.ts'
import { configured, type EnvironmentOptions } from './configuration/configured.ts'
import { opened } from './open-store.ts'
import { wrong } from './wrong.ts'

/** The figures that programs with a configuration keep, and how to let go of their store. */
export interface OpenedHistory extends KeptHistory {
  /** Closes the store that keeps them. */
  close(this: void): Promise<void>
}

/**
 * Read the figures that the monitor of a configuration keeps. Only the store that keeps them is opened, and nothing is written.
 *
 * @throws {StoreError} `INVALID_CONFIG` as `openStores`, and for a configuration whose monitor keeps nothing
 */
export async function openHistory(
  config: Configuration,
  options: EnvironmentOptions = {},
): Promise<OpenedHistory> {
  const configuration = configured('openHistory', config, options)
  const keepIn = configuration.monitor?.keepIn
  if (keepIn === undefined)
    throw wrong('monitor', 'it keeps no figures. Name a store that does: monitor: { keepIn: metrics }')
  const { kv, close } = await opened(configuration, keepIn, false)
  return { ...keptHistory(kv as KeyValue<string, Bytes>), close }
}
