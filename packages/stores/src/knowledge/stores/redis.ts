import { type KnownStore, known } from '../known-store.ts'

const docs = 'https://redis.io/docs/latest'
const management = `${docs}/operate/oss_and_stack/management`

/** Facts about Redis from its documentation. */
export const redis: KnownStore = known({
  name: 'redis',
  title: 'Redis',
  version: 'Redis Open Source 8',
  checked: '2026-11-27',
  facts: {
    dataModel: {
      value: ['key-value', 'document'],
      says: 'Keys hold strings, lists, sets, hashes, streams, vectors or JSON documents.',
      source: `${docs}/develop/data-types/`,
    },
    sharding: {
      value: 'automatic',
      says: 'Redis Cluster divides keys into 16,384 hash slots, which the nodes share.',
      source: `${management}/scaling/`,
      checked: '2026-12-01',
    },
    replication: {
      value: ['asynchronous'],
      says: 'Replicas follow with a delay; WAIT makes a write wait for some of them.',
      source: `${management}/replication/`,
    },
    automaticFailover: {
      value: true,
      says: 'Sentinel and Redis Cluster promote a replica.',
      source: `${management}/sentinel/`,
    },
    quorums: {
      value: false,
      says: 'A write can wait for replicas by WAIT, but is not taken back, and a read asks one node.',
      source: `${docs}/commands/wait/`,
      checked: '2026-12-01',
    },
    consistency: {
      value: ['eventual'],
      says: 'A failover can lose acknowledged writes, so strong consistency is not promised, not even with WAIT.',
      source: `${management}/scaling/`,
    },
    transactions: {
      value: 'partition',
      says: 'MULTI and EXEC run commands as one isolated step, without rollback; in a cluster on keys of one hash slot.',
      source: `${docs}/develop/using-commands/transactions/`,
    },
    secondaryIndexes: {
      value: ['ordered', 'text', 'spatial', 'vector'],
      says: 'Redis Search indexes fields of hashes and JSON documents.',
      source: `${docs}/develop/ai/search-and-query/`,
    },
    queries: {
      value: ['filter', 'aggregate'],
      says: 'Redis Search filters and aggregates hashes and JSON documents.',
      source: `${docs}/develop/ai/search-and-query/`,
    },
    inMemory: {
      value: 'included',
      says: 'All data is in memory, and writing it to files can be turned off.',
      source: `${management}/persistence/`,
      checked: '2026-12-01',
    },
    cacheTuning: {
      value: true,
      says: 'maxmemory limits the memory for data, and a policy says which keys give way.',
      source: `${docs}/develop/reference/eviction/`,
      checked: '2026-12-01',
    },
    compression: {
      value: true,
      says: 'Snapshots (RDB) are compressed by LZF; in memory only inner nodes of lists can be.',
      source: 'https://github.com/redis/redis/blob/8.0/redis.conf',
      checked: '2026-12-01',
    },
    tls: {
      value: true,
      says: 'TLS for clients, replicas and the cluster, where Redis is built with it.',
      source: `${management}/security/encryption/`,
    },
    authentication: {
      value: ['password', 'certificate'],
      says: 'Users have passwords; TLS can require client certificates.',
      source: `${management}/security/encryption/`,
    },
    accessControl: {
      value: true,
      says: 'Access control lists limit commands and keys for each user.',
      source: `${management}/security/acl/`,
    },
    encryptionAtRest: {
      value: 'paid',
      says: 'Redis Cloud encrypts its disks; the pages of Redis Open Source offer nothing for its files.',
      source: `${docs}/operate/rc/security/encryption-at-rest/`,
    },
    onlineBackup: {
      value: true,
      says: 'A child process writes a snapshot (RDB), whose file can be copied at any time.',
      source: `${management}/persistence/`,
    },
    onlineScaling: {
      value: 'writes',
      says: 'Redis Cluster moves hash slots to new nodes without downtime.',
      source: `${management}/scaling/`,
    },
    license: {
      value: ['AGPL-3.0-only', 'SSPL-1.0', 'LicenseRef-RSALv2'],
      says: 'Redis 8 can be had under one of three licenses.',
      source: `${docs}/operate/oss_and_stack/stack-with-enterprise/release-notes/redisce/redisos-8.0-release-notes/`,
    },
    openSource: {
      value: true,
      says: 'The AGPL is one of its licenses.',
      source: `${docs}/operate/oss_and_stack/stack-with-enterprise/release-notes/redisce/redisos-8.0-release-notes/`,
    },
    selfHosted: { value: true, says: 'Redis Open Source runs anywhere.', source: `${management}/` },
  },
})
