import { callOptions, datasetName, type OpenedStore, openedStore } from '@unikv/core/adapter'
import { performance } from '@unikv/core/platform'
import { capabilitiesOf } from './capabilities.ts'
import { lazyNative, type OpenClient, openClient } from './client/dynamodb-client.ts'
import { Requests } from './client/requests.ts'
import type { DynamodbSettings } from './options.ts'
import { readAll } from './read.ts'
import { scanPages } from './scan.ts'
import { statistics } from './statistics.ts'
import { openTable } from './table.ts'
import { encode, type ValueForm } from './value-form.ts'
import { writeAll } from './write.ts'

/** Longest time that looking at the table, and making it, may take. */
const openTimeoutMs = 10_000
const prepareTimeoutMs = 60_000

/** Open between the first call and the end. */
interface Opened extends OpenClient {
  readonly requests: Requests
}

/** The store of these settings, which holds values in this form. */
export function openStore<V>(settings: DynamodbSettings, form: ValueForm<V>): OpenedStore<V> {
  const { name, endpoint, region, table, documents, client } = settings
  const store: OpenedStore<V> = openedStore<V, Opened>({
    name,
    dataset: datasetName('dynamodb', endpoint, region, table),
    capabilities: capabilitiesOf(documents),
    native: client ?? lazyNative(() => store.open() as Promise<Opened>),
    open: (closing) => open(settings, closing),
    release,
    read: ({ requests }, reads, call) => readAll(requests, form, reads, call),
    write: ({ requests }, mutations, call) => {
      const encoded = mutations.map((mutation) => encode(mutation, form))
      return writeAll(requests, form.attribute, encoded, call)
    },
    scan: ({ requests }, range, call) => scanPages(requests, form, range, call),
    statistics: ({ requests }, call) => statistics(requests, call),
  })
  return store
}

async function open(settings: DynamodbSettings, signal: AbortSignal): Promise<Opened> {
  const client = await openClient(settings)
  const requests = new Requests(client, settings)
  const { prepare } = settings
  const timeoutMs = prepare ? prepareTimeoutMs : openTimeoutMs
  try {
    await openTable(requests, prepare, callOptions({ deadlineAt: performance.now() + timeoutMs, signal }))
  } catch (error) {
    await release(client)
    throw error
  }
  return { ...client, requests }
}

async function release({ client, connections }: OpenClient): Promise<void> {
  if (connections === undefined) return
  client.destroy()
  connections.destroy()
}
