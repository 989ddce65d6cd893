import type { NativePlace } from '../native/native-client.ts'
import { keyvPostgres, keyvRedis } from './keyv.ts'
import { ofProject } from './of-project.ts'
import type { PeerClient, PeerStore } from './peer-store.ts'

/** The names of other libraries. */
export const peerNames = ['keyv', 'unstorage'] as const

/** Another library over the same store. */
export type Peer = (typeof peerNames)[number]

const redis = ['redis', 'rediss', 'valkey']

const all: Readonly<Record<Peer, readonly (readonly [schemes: readonly string[], store: PeerStore])[]>> = {
  keyv: [
    [redis, { packages: ['keyv', '@keyv/redis'], open: keyvRedis }],
    [['postgres', 'postgresql'], { packages: ['keyv', '@keyv/postgres'], open: keyvPostgres }],
  ],
  unstorage: [[redis, { packages: ['unstorage', 'ioredis'], open: unstorageRedis }]],
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
}

/** Under a base of its own. */
async function unstorageRedis(url: string, { name }: Pick<NativePlace, 'name'>): Promise<PeerClient> {
  const { createStorage } = await ofProject<{ createStorage(this: void, options: object): Storage }>(
    'unstorage',
  )
  const { default: driver } = await ofProject<{ default: (options: object) => object }>(
    'unstorage/drivers/redis',
  )
  const storage = createStorage({ driver: driver({ url: url.replace(/^valkey:/, 'redis:'), base: name }) })
  const set = (key: string, value: string): Promise<unknown> => storage.setItem(key, value)
  return {
    client: {
      insert: set,
      update: set,
      read: (key) => storage.getItem(key),
      delete: (key) => storage.removeItem(key),
      remove: () => storage.clear(),
    },
    close: () => storage.dispose(),
  }
}
