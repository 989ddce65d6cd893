import { keyvPostgres, keyvRedis } from './keyv.ts'
import type { PeerStore } from './peer-store.ts'
import { unstorageRedis } from './unstorage.ts'

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
