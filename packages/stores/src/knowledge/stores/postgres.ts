import { type KnownStore, known } from '../known-store.ts'

const docs = 'https://www.postgresql.org/docs/15'

/** Facts about PostgreSQL from its documentation. */
export const postgres: KnownStore = known({
  name: 'postgres',
  title: 'PostgreSQL',
  version: 'PostgreSQL 15',
  checked: '2026-11-27',
  facts: {
    dataModel: {
      value: ['relational', 'document'],
      says: 'Tables, whose columns can hold JSON documents too.',
      source: `${docs}/datatype-json.html`,
    },
    sharding: {
      value: 'manual',
      says: 'Partitions of a table can be foreign tables of other servers, which the owner lays out.',
      source: `${docs}/sql-createforeigntable.html`,
      checked: '2026-12-01',
    },
    replication: {
      value: ['asynchronous', 'synchronous'],
      says: 'Standbys follow with a delay, or commits wait for chosen ones.',
      source: `${docs}/warm-standby.html`,
    },
    automaticFailover: {
      value: false,
      says: 'PostgreSQL does not detect a failed primary; other tools do.',
      source: `${docs}/warm-standby-failover.html`,
    },
    quorums: {
      value: true,
      says: 'Commits can wait for any n of the standbys that synchronous_standby_names lists.',
      source: `${docs}/runtime-config-replication.html`,
      checked: '2026-12-01',
    },
    consistency: {
      value: ['eventual', 'causal', 'strong'],
      says: 'The primary shows every commit; standbys lag, unless commits wait with remote_apply.',
      source: `${docs}/warm-standby.html`,
    },
    transactions: {
      value: 'any',
      says: 'Transactions over any rows, up to serializable isolation.',
      source: `${docs}/transaction-iso.html`,
    },
    secondaryIndexes: {
      value: ['ordered', 'unique', 'text', 'spatial'],
      says: 'B-tree, hash, GiST, SP-GiST, GIN and BRIN; vectors need the extension pgvector.',
      source: `${docs}/indexes-types.html`,
    },
    queries: {
      value: ['range', 'filter', 'aggregate', 'join', 'sql'],
      says: 'SQL, with joins, windows and recursion.',
      source: `${docs}/queries.html`,
    },
    cacheTuning: {
      value: true,
      says: 'shared_buffers sets the memory for pages.',
      source: `${docs}/runtime-config-resource.html`,
      checked: '2026-12-01',
    },
    compression: {
      value: true,
      says: 'Long values are compressed (TOAST).',
      source: `${docs}/storage-toast.html`,
      checked: '2026-12-01',
    },
    tls: {
      value: true,
      says: 'TLS for all connections.',
      source: `${docs}/ssl-tcp.html`,
    },
    authentication: {
      value: ['password', 'certificate', 'ldap', 'kerberos'],
      says: 'Passwords, certificates, LDAP, RADIUS, GSSAPI and others.',
      source: `${docs}/auth-methods.html`,
    },
    accessControl: {
      value: true,
      says: 'Roles have privileges on tables, columns and rows.',
      source: `${docs}/user-manag.html`,
    },
    encryptionAtRest: {
      value: 'none',
      says: 'Only the file system or the disk can encrypt everything; pgcrypto encrypts columns.',
      source: `${docs}/encryption-options.html`,
    },
    onlineBackup: {
      value: true,
      says: 'pg_dump and pg_basebackup work while the server is used.',
      source: `${docs}/backup.html`,
    },
    pointInTimeRecovery: {
      value: 'included',
      says: 'A base backup and the archived log give any moment.',
      source: `${docs}/continuous-archiving.html`,
    },
    onlineScaling: {
      value: 'reads',
      says: 'Hot standbys answer reads; one primary takes all writes.',
      source: `${docs}/hot-standby.html`,
    },
    license: {
      value: ['PostgreSQL'],
      says: 'The PostgreSQL License, which is like BSD and MIT.',
      source: `${docs}/legalnotice.html`,
    },
    openSource: {
      value: true,
      says: 'The PostgreSQL License is approved.',
      source: 'https://www.postgresql.org/about/licence/',
    },
    selfHosted: { value: true, says: 'It runs anywhere.', source: `${docs}/installation.html` },
  },
})
