import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Client, NativePlace } from './native/native-client.ts'
import { databaseOf } from './native/natives.ts'

/** The packages among these that the project in the working folder does not have. */
export function missingPackages(names: readonly string[]): readonly string[] {
  return names.filter((name) => {
    try {
      return pathOf(name) === undefined
    } catch {
      return true
    }
  })
}

/** A package of the project in the working folder. */
async function ofProject<T>(name: string): Promise<T> {
  const loaded = (await import(pathToFileURL(pathOf(name)).href)) as T & { readonly default?: T }
  // The names in a CommonJS module are not all known.
  return { ...loaded, ...loaded.default }
}

function pathOf(name: string): string {
  return createRequire(join(process.cwd(), 'package.json')).resolve(name)
}

/** The names of other libraries. */
export const peerNames = ['keyv', 'unstorage'] as const

/** Another library over the same store. */
export type Peer = (typeof peerNames)[number]

const redis = ['redis', 'rediss', 'valkey']
const mongodb = ['mongodb', 'mongodb+srv']

const all: Readonly<Record<Peer, readonly (readonly [schemes: readonly string[], store: PeerStore])[]>> = {
  keyv: [
    [redis, { packages: ['keyv', '@keyv/redis'], open: keyvRedis }],
    [['postgres', 'postgresql'], { packages: ['keyv', '@keyv/postgres'], open: keyvPostgres }],
    [mongodb, { packages: ['keyv', '@keyv/mongo'], open: keyvMongodb }],
  ],
  unstorage: [
    [redis, { packages: ['unstorage', 'ioredis'], open: unstorageRedis }],
    [mongodb, { packages: ['unstorage', 'mongodb'], open: unstorageMongodb }],
  ],
}

/** A library over the store of a URL; `undefined`: bench overhead does not know it. */
export function peerOf(peer: Peer, url: string): PeerStore | undefined {
  const scheme = url.slice(0, url.indexOf(':'))
  return all[peer].find(([schemes]) => schemes.includes(scheme))?.[1]
}

/** The stores over which a library is known, by the first scheme of their URLs. */
export function storesOf(peer: Peer): readonly string[] {
  return all[peer].map(([[scheme = '']]) => scheme)
}

/** The methods of unstorage in use. */
interface Storage {
  setItem(key: string, value: string): Promise<unknown>
  getItem(key: string): Promise<unknown>
  removeItem(key: string): Promise<unknown>
  clear(): Promise<unknown>
  dispose(): Promise<unknown>
  getMount(key: string): { readonly driver: { getInstance(): unknown } }
}

/** Under a base of its own. */
async function unstorageRedis(url: string, { name }: Pick<NativePlace, 'name'>): Promise<PeerClient> {
  const storage = await unstorageOver('redis', { url: url.replace(/^valkey:/, 'redis:'), base: name })
  return storageClient(storage, () => storage.clear())
}

/** In a collection of its own. */
async function unstorageMongodb(url: string, { name }: Pick<NativePlace, 'name'>): Promise<PeerClient> {
  const place = { connectionString: url, databaseName: mongodbDatabase(url), collectionName: name }
  const storage = await unstorageOver('mongodb', place)
  const collection = storage.getMount('').driver.getInstance() as Collection
  return storageClient(storage, () => collection.drop())
}

async function unstorageOver(driverName: string, options: object): Promise<Storage> {
  const { createStorage } = await ofProject<{ createStorage(this: void, options: object): Storage }>(
    'unstorage',
  )
  const { default: driver } = await ofProject<{ default: (options: object) => object }>(
    `unstorage/drivers/${driverName}`,
  )
  return createStorage({ driver: driver(options) })
}

function storageClient(storage: Storage, remove: () => Promise<unknown>): PeerClient {
  const set = (key: string, value: string): Promise<unknown> => storage.setItem(key, value)
  return {
    client: {
      insert: set,
      update: set,
      read: (key) => storage.getItem(key),
      delete: (key) => storage.removeItem(key),
      remove,
    },
    close: () => storage.dispose(),
  }
}

const mongodbDatabase = (url: string): string => databaseOf(url) ?? 'unikv'

/** A collection of the driver of MongoDB. */
interface Collection {
  drop(): Promise<unknown>
}

/** A library over one kind of store. */
export interface PeerStore {
  /** Packages of the user's project that it needs. */
  readonly packages: readonly string[]
  /** Its values are texts. */
  readonly open: (url: string, place: Pick<NativePlace, 'name'>) => Promise<PeerClient>
}

/** The library with its connection. */
export interface PeerClient {
  readonly client: Client<string>
  close(this: void): Promise<unknown>
}

/** The methods of Keyv in use. */
interface Keyv {
  set(key: string, value: string): Promise<unknown>
  get(key: string): Promise<unknown>
  delete(key: string): Promise<unknown>
  clear(): Promise<unknown>
  disconnect(): Promise<unknown>
  on(event: 'error', listener: () => void): void
}

interface KeyvModule {
  readonly Keyv: new (options: object) => Keyv
}

/** Under a namespace of its own. */
async function keyvRedis(url: string, { name }: Pick<NativePlace, 'name'>): Promise<PeerClient> {
  const { Keyv } = await ofProject<KeyvModule>('keyv')
  const adapter = await ofProject<{ readonly KeyvRedis: undefined; readonly default: Constructor }>(
    '@keyv/redis',
  )
  const KeyvRedis = adapter.KeyvRedis ?? adapter.default
  const store = new KeyvRedis(url.replace(/^valkey:/, 'redis:'))
  const keyv = new Keyv({ store, namespace: name })
  return clientOf(keyv, () => keyv.clear())
}

/** In a table of its own. */
async function keyvPostgres(url: string, { name }: Pick<NativePlace, 'name'>): Promise<PeerClient> {
  const { Keyv } = await ofProject<KeyvModule>('keyv')
  const { KeyvPostgres } = await ofProject<{ readonly KeyvPostgres: Constructor }>('@keyv/postgres')
  const store = new KeyvPostgres({ uri: url, table: name }) as { query(sql: string): Promise<unknown> }
  return clientOf(new Keyv({ store }), () => store.query(`DROP TABLE IF EXISTS ${name}`))
}

/** In a collection of its own. */
async function keyvMongodb(url: string, { name }: Pick<NativePlace, 'name'>): Promise<PeerClient> {
  const { Keyv } = await ofProject<KeyvModule>('keyv')
  const { KeyvMongo } = await ofProject<{ readonly KeyvMongo: Constructor }>('@keyv/mongo')
  const place = { url, db: mongodbDatabase(url), collection: name }
  const store = new KeyvMongo(place) as { readonly connect: Promise<{ readonly store: Collection }> }
  return clientOf(new Keyv({ store }), async () => (await store.connect).store.drop())
}

type Constructor = new (options: unknown) => object

function clientOf(keyv: Keyv, remove: () => Promise<unknown>): PeerClient {
  // A call that fails rejects besides.
  keyv.on('error', () => {})
  const set = (key: string, value: string): Promise<unknown> => keyv.set(key, value)
  return {
    client: {
      insert: set,
      update: set,
      read: (key) => keyv.get(key),
      delete: (key) => keyv.delete(key),
      remove,
    },
    close: () => keyv.disconnect(),
  }
}
