import { type KnownStore, known } from '../known-store.ts'

const docs = 'https://docs.riak.com/riak/kv/2.2.3'

/** Facts about Riak KV from its documentation. */
export const riak: KnownStore = known({
  name: 'riak',
  title: 'Riak KV',
  unopened: 'no client for Node.js is maintained',
  version: 'Riak KV 2.2.3',
  checked: '2026-12-01',
  facts: {
    dataModel: {
      value: ['key-value'],
      says: 'Buckets of keys and values; some data types merge by themselves.',
      source: `${docs}/learn/concepts/keys-and-objects/`,
    },
    sharding: {
      value: 'automatic',
      says: 'Hashes of bucket and key place objects on a ring of partitions, which nodes share.',
      source: `${docs}/learn/concepts/clusters/`,
    },
    replication: {
      value: ['quorum', 'multi-leader'],
      says: 'Each object has three copies unless told otherwise, and any node takes writes.',
      source: `${docs}/learn/concepts/replication/`,
    },
    automaticFailover: {
      value: true,
      says: 'There is no primary: other nodes serve the keys of a node that is down.',
      source: `${docs}/learn/why-riak-kv/`,
    },
    quorums: {
      value: true,
      says: 'Each request or bucket chooses how many copies answer: r, w, pr, pw and dw.',
      source: `${docs}/developing/app-guide/replication-properties/`,
    },
    consistency: {
      value: ['eventual'],
      says: 'Copies agree later; strong consistency is an experiment that its makers advise against.',
      source: `${docs}/learn/concepts/strong-consistency/`,
    },
    transactions: {
      value: 'none',
      says: 'Concurrent writes of a key are kept as siblings, or the later one wins.',
      source: `${docs}/developing/usage/conflict-resolution/`,
    },
    secondaryIndexes: {
      value: ['ordered', 'text'],
      says: 'Indexes of texts and numbers with LevelDB or in memory; search by Solr.',
      source: `${docs}/developing/usage/secondary-indexes/`,
    },
    queries: {
      value: ['range', 'filter'],
      says: 'A value or a range of one index, and queries of Solr; other ways are MapReduce.',
      source: `${docs}/developing/usage/secondary-indexes/`,
    },
    inMemory: {
      value: 'included',
      says: 'The memory backend keeps nothing on disk.',
      source: `${docs}/setup/planning/backend/memory/`,
    },
    cacheTuning: {
      value: true,
      says: 'LevelDB gets a share of the memory; Bitcask leaves caching to the file system.',
      source: `${docs}/setup/planning/backend/leveldb/`,
    },
    compression: {
      value: true,
      says: 'LevelDB compresses by Snappy or LZ4.',
      source: `${docs}/setup/planning/backend/leveldb/`,
    },
    tls: {
      value: true,
      says: 'With security turned on, clients connect by TLS.',
      source: `${docs}/using/security/basics/`,
    },
    authentication: {
      value: ['password', 'certificate'],
      says: 'Passwords, certificates, PAM, or trusted networks.',
      source: `${docs}/using/security/managing-sources/`,
    },
    accessControl: {
      value: true,
      says: 'Users and groups have permissions on buckets.',
      source: `${docs}/using/security/basics/`,
    },
    onlineScaling: {
      value: 'writes',
      says: 'Nodes join a cluster that serves, and take over partitions.',
      source: `${docs}/using/cluster-operations/adding-removing-nodes/`,
    },
    license: {
      value: ['Apache-2.0'],
      says: 'The Apache License, in each source file.',
      source: 'https://github.com/basho/riak_kv/blob/develop/src/riak_kv_backend.erl',
    },
    openSource: {
      value: true,
      says: 'The Apache License is approved.',
      source: 'https://github.com/basho/riak_kv/blob/develop/src/riak_kv_backend.erl',
    },
    selfHosted: {
      value: true,
      says: 'It runs on your machines.',
      source: `${docs}/setup/installing/`,
    },
  },
})
