import { datasetName, type OpenedStore, Opening, openedStore } from '@unikv/core/adapter'
import { performance } from '@unikv/core/platform'
import type { Db, MongoClient } from 'mongodb'
import type { Backend } from './backend.ts'
import { capabilitiesOf } from './capabilities.ts'
import { Commands } from './client/commands.ts'
import { closeClient, type MongodbNative, openClient, secretsOf, whereOf } from './client/mongodb-client.ts'
import { trusting } from './client/trusting.ts'
import { openCollection, openFieldIndexes } from './collection.ts'
import { find } from './find/find.ts'
import { openGroups } from './groups/mongodb-groups.ts'
import type { MongodbSettings } from './options.ts'
import { read } from './read.ts'
import { scanPages } from './scan.ts'
import { statistics } from './statistics.ts'
import type { ValueForm } from './values.ts'
import { write } from './write.ts'

/** Longest time that looking at the servers and the collection may take. */
const openTimeoutMs = 10_000
/** The same for the making of indexes, which takes longer with many records. */
const indexTimeoutMs = 600_000

/** The store of these settings, which holds values in this form. */
export function openStore<V>(settings: MongodbSettings, form: ValueForm<V>): OpenedStore<V> {
  const { source } = settings
  const connection = new Connection(settings)
  return openedStore<V, Backend<V>>({
    name: settings.name,
    dataset: datasetOf(settings),
    capabilities: capabilitiesOf(settings),
    native: 'client' in source ? source.client : connection.native(),
    open: async (closing) => {
      const commands = await connection.open(closing)
      const { indexes, maxValueBytes } = settings
      return { commands, client: await connection.client(), form, indexes, maxValueBytes }
    },
    read,
    write,
    scan: scanPages,
    find,
    ...(settings.transactions && {
      groups: {
        control: 'optimistic',
        maxGroupBytes: Number.POSITIVE_INFINITY,
        holds: true,
        open: openGroups,
      },
    }),
    statistics,
    closing: () => connection.closing(),
    closed: () => connection.close(),
  })
}

function datasetOf({ source, database, collection }: MongodbSettings): string {
  const place = 'address' in source ? [source.address.where, source.address.database] : []
  return datasetName('mongodb', ...place, database, collection)
}

/** A client, ours or one that was handed in, and the commands that go to the collection. */
class Connection {
  readonly #settings: MongodbSettings
  readonly #client: Opening<MongoClient>
  #commands: Commands | undefined
  #wereWaiting = false

  constructor(settings: MongodbSettings) {
    const { source, maxConnections } = settings
    this.#settings = settings
    this.#client = new Opening(
      async () => ('client' in source ? source.client : openClient(source.address, maxConnections)),
      async (client) => 'client' in source || closeClient(client, this.#wereWaiting),
    )
  }

  /** Connect and look at the collection. */
  async open(closing: AbortSignal): Promise<Commands> {
    const { collection, durability, readPreference, queueLimit } = this.#settings
    const client = await this.#client.open()
    const commands = new Commands({
      database: this.#database(client),
      collection,
      where: `MongoDB at ${whereOf(client)}`,
      secrets: secretsOf(client),
      durability,
      readPreference,
      limit: client.options.maxPoolSize + queueLimit,
    })
    this.#commands = commands
    const startedAt = performance.now()
    await trusting(client, closing, async (signal) => {
      const call = { deadlineAt: startedAt + openTimeoutMs, signal }
      await commands.connect(client, call)
      await openCollection(commands, this.#settings, call)
      await openFieldIndexes(commands, this.#settings, { deadlineAt: startedAt + indexTimeoutMs, signal })
    })
    return commands
  }

  client(): Promise<MongoClient> {
    return this.#client.open()
  }

  closing(): void {
    this.#wereWaiting ||= this.#commands?.areWaiting === true
  }

  close(): Promise<void> {
    return this.#client.close()
  }

  native(): MongodbNative {
    return Object.freeze<MongodbNative>({
      client: () => this.#client.open(),
      collection: async () => this.#database(await this.#client.open()).collection(this.#settings.collection),
    })
  }

  #database(client: MongoClient): Db {
    return client.db(this.#settings.database)
  }
}
