import { type Bytes, type Store, StoreError } from '@unikv/core'
import { datasetName } from '@unikv/core/adapter'
import { capabilitiesOf, type MemcachedCapabilities } from './capabilities.ts'
import { Client, type MemcachedClient } from './client/memcached-client.ts'
import { type MemcachedOptions, settingsOf } from './options.ts'
import { type Dataset, readAll } from './records.ts'
import { statistics } from './statistics.ts'
import { markOf } from './wire-key.ts'
import { writeAll } from './write.ts'

/** The memcached store. */
export type MemcachedStore = Store<Bytes, MemcachedCapabilities, MemcachedClient>

/**
 * A store in one or more memcached servers (1.6 or later), by a client of its own for the meta protocol. Nothing is
 * connected before the first call. The servers drop records to make room, and lose all of them when they end.
 *
 * @throws {StoreError} `INVALID_CONFIG`
 */
export function memcached(options: MemcachedOptions = {}): MemcachedStore {
  const settings = settingsOf(options)
  const client = new Client(settings)
  const dataset: Dataset = { client, mark: markOf(settings.dataset), clock: settings.clock }
  return {
    name: settings.name,
    dataset: datasetName('memcached', ...settings.addresses.map(({ name }) => name).sort(), settings.dataset),
    capabilities: capabilitiesOf(settings),
    native: client,
    read: (reads, call) => readAll(dataset, reads, call),
    write(mutations, call) {
      // Until a command that changes something is on its way.
      call.sent = false
      return writeAll(dataset, mutations, call)
    },
    scan() {
      throw new StoreError('UNSUPPORTED', 'memcached cannot list its keys.')
    },
    statistics: (call) => statistics(client, call),
    close: () => client.close(),
  }
}
