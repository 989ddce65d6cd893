import { randomBytes } from 'node:crypto'
import {
  isStoreError,
  type Mutation,
  newVersion,
  type Store,
  type Version,
  type WriteResult,
} from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
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

/** One mutation, straight to the store. */
export async function mutate<V>(
  store: Store<V>,
  mutation: Unversioned<Mutation<V>>,
  timeoutMs = 10_000,
): Promise<WriteResult> {
  const call = callOptions({ deadlineAt: performance.now() + timeoutMs })
  const full = { version: newVersion(), ...mutation } as Mutation<V>
  return (await store.write([full], call))[0] as WriteResult
}

/** The code of the error that came instead of a result, thrown or not; `undefined` if none came. */
export async function codeOf(work: Promise<unknown>): Promise<string | undefined> {
  const result = await work.catch((error: unknown) => error)
  return isStoreError(result) ? result.code : undefined
}

/** Sends each call by itself. */
export const apart = { coalesce: false } as const

type Unversioned<M> = M extends unknown ? Omit<M, 'version'> & { readonly version?: Version } : never
