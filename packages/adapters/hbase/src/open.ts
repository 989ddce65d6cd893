import type { Bytes } from '@unikv/core'
import { callOptions, datasetName, type MetExpired, type OpenedStore, openedStore } from '@unikv/core/adapter'
import { performance } from '@unikv/core/platform'
import { capabilitiesOf } from './capabilities.ts'
import { columnsOf, type Found } from './client/cells.ts'
import { Gateway } from './client/gateway.ts'
import { RestClient } from './client/rest-client.ts'
import type { Dataset } from './dataset.ts'
import { metExpired } from './met-expired.ts'
import type { HbaseSettings } from './options.ts'
import { read } from './read.ts'
import { scan } from './scan.ts'
import { openTable } from './table.ts'
import { encodeWrite, write } from './write.ts'

/** Longest time that looking at the table, and making it, may take. */
const openTimeoutMs = 60_000

/** The store of these settings. */
export function openStore(settings: HbaseSettings): OpenedStore<Bytes> {
  const { name, durability, maxValueBytes, url, table, dataset } = settings
  const rest = new RestClient(settings)
  const gateway = new Gateway(rest, settings)
  const expired: MetExpired<Found> = metExpired(() => own)
  const own = datasetOf(settings, gateway, expired)
  return openedStore<Bytes, Dataset>({
    name,
    dataset: datasetName('hbase', url.host, table, dataset),
    capabilities: capabilitiesOf(durability, maxValueBytes),
    native: rest,
    open: async () => {
      await openTable(gateway, settings, callOptions({ deadlineAt: performance.now() + openTimeoutMs }))
      return own
    },
    release: () => expired.stop(),
    read,
    write: (rows, mutations, call) => write(rows, encodeWrite(rows, mutations), call),
    scan,
    closing: () => rest.close(),
  })
}

function datasetOf(
  { dataset, family, clock, maxConnections }: HbaseSettings,
  gateway: Gateway,
  expired: MetExpired<Found>,
): Dataset {
  const prefix = `${dataset}:`
  return {
    gateway,
    columns: columnsOf(family),
    family,
    prefix,
    rowOf: (key) => Buffer.from(prefix + key),
    clock,
    width: Math.max(1, Math.floor(maxConnections / 2)),
    expired,
  }
}
