import { type KnownStore, known } from '../known-store.ts'

const docs = 'https://www.mongodb.com/docs/manual'

/** Facts about MongoDB from its documentation. */
export const mongodb: KnownStore = known({
  name: 'mongodb',
  title: 'MongoDB',
  version: 'MongoDB 8',
  checked: '2026-11-27',
  facts: {
    dataModel: {
      value: ['document'],
      says: 'Collections of documents (BSON).',
      source: `${docs}/core/document/`,
    },
    sharding: {
      value: 'automatic',
      says: 'A sharded cluster divides collections by ranges or hashes of a shard key.',
      source: `${docs}/sharding/`,
      checked: '2026-12-01',
    },
    replication: {
      value: ['asynchronous', 'quorum'],
      says: 'Secondaries follow the primary; write concern majority waits for most of them.',
      source: `${docs}/replication/`,
    },
    automaticFailover: {
      value: true,
      says: 'The members of a replica set elect a new primary.',
      source: `${docs}/replication/`,
    },
    quorums: {
      value: true,
      says: 'Write and read concerns say how many members take part, such as majority.',
      source: `${docs}/reference/write-concern/`,
      checked: '2026-12-01',
    },
    consistency: {
      value: ['eventual', 'causal', 'strong'],
      says: 'Each read chooses: stale secondaries, causal sessions, or linearizable reads of one document.',
      source: `${docs}/core/read-isolation-consistency-recency/`,
    },
    transactions: {
      value: 'any',
      says: 'Transactions over documents, collections and shards, in replica sets and sharded clusters.',
      source: `${docs}/core/transactions/`,
    },
    secondaryIndexes: {
      value: ['ordered', 'unique', 'text', 'spatial'],
      says: 'Indexes on any fields, also of arrays, unique, text and geospatial.',
      source: `${docs}/indexes/`,
    },
    queries: {
      value: ['range', 'filter', 'aggregate', 'join'],
      says: 'Queries on any fields, and the aggregation pipeline, where $lookup joins.',
      source: `${docs}/core/aggregation-pipeline/`,
    },
    inMemory: {
      value: 'paid',
      says: 'The in-memory storage engine is in MongoDB Enterprise only.',
      source: `${docs}/core/inmemory/`,
      checked: '2026-12-01',
    },
    cacheTuning: {
      value: true,
      says: 'The size of the cache of WiredTiger is a setting.',
      source: `${docs}/core/wiredtiger/`,
      checked: '2026-12-01',
    },
    compression: {
      value: true,
      says: 'WiredTiger compresses collections and prefixes of indexes, by snappy, zlib or zstd.',
      source: `${docs}/core/wiredtiger/`,
      checked: '2026-12-01',
    },
    tls: {
      value: true,
      says: 'TLS for clients and between members.',
      source: `${docs}/core/security-transport-encryption/`,
    },
    authentication: {
      value: ['password', 'certificate', 'ldap', 'kerberos', 'token'],
      says: 'SCRAM and X.509 in every edition; LDAP, Kerberos and OpenID Connect in paid ones.',
      source: `${docs}/core/authentication/`,
    },
    accessControl: {
      value: true,
      says: 'Roles have privileges on databases and collections.',
      source: `${docs}/core/authorization/`,
    },
    encryptionAtRest: {
      value: 'paid',
      says: 'The encrypted storage engine is in MongoDB Enterprise and Atlas only.',
      source: `${docs}/core/security-encryption-at-rest/`,
    },
    onlineBackup: {
      value: true,
      says: 'mongodump and snapshots of the file system work while the server is used.',
      source: `${docs}/core/backups/`,
    },
    pointInTimeRecovery: {
      value: 'paid',
      says: 'Ops Manager and Cloud Manager restore any moment; they need MongoDB Enterprise.',
      source: `${docs}/core/backups/`,
    },
    onlineScaling: {
      value: 'writes',
      says: 'A sharded cluster takes more shards, and its balancer moves data to them.',
      source: `${docs}/sharding/`,
    },
    license: {
      value: ['SSPL-1.0'],
      says: 'The community edition is under the SSPL; other editions are sold.',
      source: 'https://www.mongodb.com/licensing/server-side-public-license/faq',
    },
    openSource: {
      value: false,
      says: 'The SSPL is not approved by the Open Source Initiative.',
      source: 'https://www.mongodb.com/licensing/server-side-public-license/faq',
    },
    selfHosted: {
      value: true,
      says: 'It runs anywhere.',
      source: `${docs}/installation/`,
    },
  },
})
