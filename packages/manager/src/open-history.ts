import type { AnyStore, Bytes, KeyValue } from '@unikv/core'
import { type KeptHistory, keptHistory } from '@unikv/monitor/recorder'
import { checked } from './check-configuration.ts'
import type { Configuration, StoreConfiguration } from './configuration.ts'
import type { OpenStoresOptions } from './open-stores.ts'
import { orderOf } from './references.ts'
import { type Opened, openedStore } from './stack.ts'
import { withVariables } from './variables.ts'
import { wrong } from './wrong.ts'

/** The figures that programs with a configuration keep, and how to let go of their store. */
export interface OpenedHistory extends KeptHistory {
  close(this: void): Promise<void>
}

/**
 * Read the figures that the monitor of a configuration keeps. Only the store that keeps them is opened, and nothing is written.
 *
 * @throws {StoreError} `INVALID_CONFIG` as `openStores`, and for a configuration whose monitor keeps nothing
 */
export async function openHistory(
  config: Configuration,
  { environment = process.env }: OpenStoresOptions = {},
): Promise<OpenedHistory> {
  const { stores, monitor } = checked(withVariables(config, environment))
  const keepIn = monitor?.keepIn
  if (keepIn === undefined)
    throw wrong('monitor', 'it keeps no figures. Name a store that does: monitor: { keepIn: metrics }')
  const opened: Opened[] = []
  const shared = new Map<string, AnyStore>()
  for (const name of orderOf({ stores, monitor }, [])) {
    const one = await openedStore(name, stores[name] as StoreConfiguration, shared, { above: [], below: [] })
    opened.push(one)
    shared.set(name, one.shared)
  }
  const keeper = opened.at(-1) as Opened
  return {
    ...keptHistory(keeper.kv as KeyValue<string, Bytes>),
    close: async () => {
      for (const { root } of opened.toReversed()) await root.close()
    },
  }
}
