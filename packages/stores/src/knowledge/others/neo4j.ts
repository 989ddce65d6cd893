import { type KnownStore, known } from '../known-store.ts'

const docs = 'https://neo4j.com/docs/operations-manual/current'
const cypher = 'https://neo4j.com/docs/cypher-manual/current'
const editions = `${docs}/introduction/`

/** Facts about Neo4j from its documentation. */
export const neo4j: KnownStore = known({
  name: 'neo4j',
  title: 'Neo4j',
  unopened: 'it is a graph store, whose nodes and relationships have no keys of yours',
  version: 'Neo4j 2026.08',
  checked: '2026-12-01',
  facts: {
    dataModel: {
      value: ['graph'],
      says: 'Nodes and relationships with properties.',
      source: editions,
    },
    sharding: {
      value: 'manual',
      says: 'The graph stays whole; its owner splits it into databases. Only properties are sharded, by Infinigraph.',
      source: `${docs}/scalability/sharded-property-databases/overview/`,
    },
    replication: {
      value: ['synchronous', 'asynchronous'],
      says: 'Most primaries have a write before its answer, secondaries follow; Enterprise Edition only.',
      source: `${docs}/clustering/introduction/`,
    },
    automaticFailover: {
      value: true,
      says: 'The primaries of a cluster elect another writer; Enterprise Edition only.',
      source: `${docs}/clustering/introduction/`,
    },
    quorums: {
      value: false,
      says: 'A majority of the primaries takes part in a write, which no request can choose.',
      source: `${docs}/clustering/introduction/`,
    },
    consistency: {
      value: ['eventual', 'causal'],
      says: 'With bookmarks a client sees its own writes on any server.',
      source: `${docs}/clustering/introduction/`,
    },
    transactions: {
      value: 'any',
      says: 'Transactions over any nodes and relationships of a database.',
      source: `${docs}/database-internals/`,
    },
    secondaryIndexes: {
      value: ['ordered', 'unique', 'text', 'spatial', 'vector'],
      says: 'Indexes of properties: ranges, texts, points, full text, vectors, and unique ones.',
      source: `${cypher}/indexes/`,
    },
    queries: {
      value: ['range', 'filter', 'aggregate', 'join'],
      says: 'Cypher: patterns in the graph, filters and aggregates.',
      source: `${cypher}/introduction/cypher-overview/`,
    },
    cacheTuning: {
      value: true,
      says: 'The page cache has a size.',
      source: `${docs}/performance/memory-configuration/`,
    },
    tls: {
      value: true,
      says: 'TLS for clients and in a cluster.',
      source: `${docs}/security/ssl-framework/`,
    },
    authentication: {
      value: ['password', 'ldap', 'token', 'kerberos'],
      says: 'Passwords in every edition; LDAP, single sign-on and Kerberos in Enterprise Edition.',
      source: `${docs}/authentication-authorization/`,
    },
    accessControl: {
      value: true,
      says: 'Roles have privileges down to properties; Enterprise Edition only.',
      source: editions,
    },
    onlineBackup: {
      value: true,
      says: 'Full and differential backups while it serves; Enterprise Edition only.',
      source: `${docs}/backup-restore/online-backup/`,
    },
    pointInTimeRecovery: {
      value: 'paid',
      says: 'A backup is restored up to a date or a transaction; Enterprise Edition only.',
      source: `${docs}/backup-restore/restore-backup/`,
    },
    onlineScaling: {
      value: 'reads',
      says: 'More secondaries take more reads; one primary writes.',
      source: `${docs}/scalability/scaling-with-neo4j/`,
    },
    license: {
      value: ['GPL-3.0-only'],
      says: 'Community Edition is under the GPL; Enterprise Edition is sold.',
      source: editions,
    },
    openSource: { value: true, says: 'Community Edition is; Enterprise Edition is not.', source: editions },
    selfHosted: { value: true, says: 'It runs on your machines.', source: `${docs}/installation/` },
  },
})
