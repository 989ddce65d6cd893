import { type KnownStore, known } from '../known-store.ts'

const docs = 'https://cassandra.apache.org/doc/5.0/cassandra'

/** Facts about Cassandra from its documentation. */
export const cassandra: KnownStore = known({
  name: 'cassandra',
  title: 'Apache Cassandra',
  version: 'Cassandra 5.0',
  checked: '2026-11-27',
  facts: {
    dataModel: {
      value: ['wide-column'],
      says: 'Tables of partitions, whose rows are in order.',
      source: `${docs}/architecture/overview.html`,
    },
    sharding: {
      value: 'automatic',
      says: 'Hashes of partition keys place rows on a ring of tokens, which nodes share.',
      source: `${docs}/architecture/dynamo.html`,
      checked: '2026-12-01',
    },
    replication: {
      value: ['quorum', 'multi-leader'],
      says: 'Every replica takes writes; the later one wins by its timestamp.',
      source: `${docs}/architecture/dynamo.html`,
    },
    automaticFailover: {
      value: true,
      says: 'There is no primary: the other replicas answer.',
      source: `${docs}/architecture/guarantees.html`,
    },
    quorums: {
      value: true,
      says: 'Each request chooses how many replicas answer, from ONE over QUORUM to ALL.',
      source: `${docs}/architecture/dynamo.html`,
      checked: '2026-12-01',
    },
    consistency: {
      value: ['eventual', 'strong'],
      says: 'Levels for each request, from ONE to ALL; lightweight transactions are linearizable.',
      source: `${docs}/architecture/guarantees.html`,
    },
    transactions: {
      value: 'partition',
      says: 'Lightweight transactions compare and set within one partition; none go across partitions.',
      source: `${docs}/architecture/overview.html`,
    },
    secondaryIndexes: {
      value: ['ordered', 'vector'],
      says: 'Storage-attached indexes on values, collections and vectors; each node indexes its own rows.',
      source: `${docs}/developing/cql/indexing/indexing-concepts.html`,
    },
    queries: {
      value: ['range', 'filter', 'aggregate'],
      says: 'CQL: rows of a partition by range, indexed columns, aggregates; no joins.',
      source: `${docs}/architecture/overview.html`,
    },
    inMemory: {
      value: 'paid',
      says: 'Apache Cassandra has none; DataStax Enterprise has tables in memory, which are deprecated.',
      source: 'https://docs.datastax.com/en/dse/6.9/managing/in-memory/in-memory-contents.html',
      checked: '2026-12-01',
    },
    cacheTuning: {
      value: true,
      says: 'The caches of keys, rows and blocks of files have a size.',
      source: `${docs}/managing/configuration/cass_yaml_file.html`,
      checked: '2026-12-01',
    },
    compression: {
      value: true,
      says: 'Tables are compressed, by LZ4 unless another algorithm is chosen.',
      source: `${docs}/managing/operating/compression.html`,
      checked: '2026-12-01',
    },
    tls: {
      value: true,
      says: 'TLS for clients and between nodes.',
      source: `${docs}/managing/operating/security.html`,
    },
    authentication: {
      value: ['password', 'certificate'],
      says: 'Passwords, or since 5.0 client certificates by MutualTlsAuthenticator; others can be plugged in.',
      source: `${docs}/managing/configuration/cass_yaml_file.html`,
    },
    accessControl: {
      value: true,
      says: 'Roles have permissions on keyspaces and tables.',
      source: `${docs}/managing/operating/security.html`,
    },
    encryptionAtRest: {
      value: 'none',
      says: 'Only the commit log and hints can be encrypted, not the tables.',
      source: `${docs}/managing/configuration/cass_yaml_file.html`,
    },
    onlineBackup: {
      value: true,
      says: 'Snapshots and incremental backups are hard links to files that never change.',
      source: `${docs}/managing/operating/backups.html`,
    },
    pointInTimeRecovery: {
      value: 'included',
      says: 'Archived commit logs are replayed up to a moment.',
      source: `${docs}/managing/configuration/cass_cl_archive_file.html`,
    },
    onlineScaling: {
      value: 'writes',
      says: 'New nodes take over token ranges while the cluster serves.',
      source: `${docs}/managing/operating/topo_changes.html`,
    },
    license: {
      value: ['Apache-2.0'],
      says: 'The Apache License.',
      source: 'https://github.com/apache/cassandra/blob/trunk/LICENSE.txt',
    },
    openSource: {
      value: true,
      says: 'The Apache License is approved.',
      source: 'https://github.com/apache/cassandra/blob/trunk/LICENSE.txt',
    },
    selfHosted: {
      value: true,
      says: 'It runs anywhere with Java.',
      source: `${docs}/installing/installing.html`,
    },
  },
})
