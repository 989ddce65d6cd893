import { randomBytes } from 'node:crypto'
import { type Collection, type Db, MongoClient, type MongoClientOptions } from 'mongodb'
import { afterAll, afterEach } from 'vitest'
import {
  type MongodbOptions,
  type MongodbRecord,
  type MongodbStore,
  mongodb,
  prepareMongodb,
} from '../src/index.ts'

/** A name that no other test uses. */
export function freshName(): string {
  return `t_${randomBytes(8).toString('hex')}`
}

/** What a group of tests works with on one server: stores over fresh collections, and a client behind their backs. */
export interface Bench {
  /** The database of the stores, by the driver itself. */
  readonly db: Db
  /** A collection of its own, made now and removed at the end. */
  collection(options?: MongodbOptions): Promise<string>
  /** The name of a collection that is removed at the end, if it was made. */
  unprepared(): string
  /** Have a collection removed at the end. */
  collected(name: string): void
  /** The documents of a collection. */
  records(collection: string): Collection<MongodbRecord>
  /** A store that is closed after the test. */
  store<const O extends MongodbOptions>(options: O): MongodbStore<O>
  /** A client of the driver that is closed after the test. */
  client(options?: MongoClientOptions): MongoClient
}

/** Clients that stores take. */
export const onceOnly = { retryWrites: false, retryReads: false } as const

/** Call it inside `describe`: it cleans up after each test, and after all. */
export function mongodbBench(url: string): Bench {
  const direct = new MongoClient(url, onceOnly)
  const db = direct.db('unikv')
  const collections: string[] = []
  const opened: (() => Promise<unknown>)[] = []
  afterEach(async () => {
    for (const close of opened.splice(0).toReversed()) await close()
  })
  afterAll(async () => {
    for (const name of collections) await db.dropCollection(name)
    await direct.close()
  })
  const unprepared = (): string => {
    const collection = freshName()
    collections.push(collection)
    return collection
  }
  return {
    db,
    unprepared,
    collected: (name) => void collections.push(name),
    async collection(options = {}) {
      const collection = unprepared()
      await prepareMongodb({ url, ...options, collection })
      return collection
    },
    records: (collection) => db.collection<MongodbRecord>(collection),
    store(options) {
      const store = mongodb(options)
      opened.push(() => store.close())
      return store
    },
    client(options = onceOnly) {
      const client = new MongoClient(url, options)
      opened.push(() => client.close())
      return client
    },
  }
}
