import { type KnownStore, known } from '../known-store.ts'

const docs = 'https://mariadb.com/docs'
const galera = `${docs}/galera-cluster`
const server = `${docs}/server`

/** Facts about MariaDB from its documentation; MySQL may differ. */
export const mysql: KnownStore = known({
  name: 'mysql',
  title: 'MariaDB',
  version: 'MariaDB 11.8',
  checked: '2026-11-27',
  facts: {
    dataModel: {
      value: ['relational', 'document'],
      says: 'Tables, whose columns can hold JSON documents too.',
      source: `${server}/reference/data-types/string-data-types/json`,
    },
    replication: {
      value: ['asynchronous', 'synchronous', 'multi-leader'],
      says: 'Replicas follow with a delay or semi-synchronously; all nodes of a Galera cluster take writes.',
      source: `${server}/ha-and-performance/standard-replication/semisynchronous-replication`,
    },
    automaticFailover: {
      value: true,
      says: 'A Galera cluster goes on with the majority; replicas alone need MaxScale or another tool.',
      source: `${galera}/high-availability/understanding-quorum-monitoring-and-recovery`,
    },
    consistency: {
      value: ['eventual', 'causal', 'strong'],
      says: 'The primary shows every commit; other nodes lag, in Galera unless wsrep_sync_wait is set.',
      source: `${galera}/reference/galera-cluster-system-variables`,
    },
    transactions: {
      value: 'any',
      says: 'Transactions over any rows of InnoDB tables.',
      source: `${server}/reference/sql-statements/transactions/start-transaction`,
    },
    secondaryIndexes: {
      value: ['ordered', 'unique', 'text', 'spatial', 'vector'],
      says: 'B-tree, full-text, spatial, and since 11.8 vector indexes.',
      source: `${server}/reference/sql-structure/vectors/vector-overview`,
    },
    queries: {
      value: ['range', 'filter', 'aggregate', 'join', 'sql'],
      says: 'SQL, with joins, windows and recursion.',
      source: `${server}/reference/sql-statements/data-manipulation/selecting-data/select`,
    },
    tls: {
      value: true,
      says: 'TLS for clients and replicas.',
      source: `${server}/security/encryption/data-in-transit-encryption/secure-connections-overview`,
    },
    authentication: {
      value: ['password', 'certificate', 'ldap', 'kerberos'],
      says: 'Passwords, certificates, GSSAPI, and by PAM LDAP and others.',
      source: `${server}/reference/plugins/authentication-plugins`,
    },
    accessControl: {
      value: true,
      says: 'Users and roles have privileges on databases, tables and columns.',
      source: `${server}/security/user-account-management/roles/roles_overview`,
    },
    encryptionAtRest: {
      value: 'included',
      says: 'Tables and logs of InnoDB are encrypted once a plugin for keys is set up.',
      source: `${server}/security/encryption/data-at-rest-encryption/data-at-rest-encryption-tde-fundamentals`,
    },
    onlineBackup: {
      value: true,
      says: 'mariadb-backup copies InnoDB tables while they are used.',
      source: `${server}/server-usage/backup-and-restore/mariadb-backup/mariadb-backup-overview`,
    },
    pointInTimeRecovery: {
      value: 'included',
      says: 'A backup and the binary log give any moment.',
      source: `${server}/server-usage/backup-and-restore/mariadb-backup/point-in-time-recovery-pitr-mariadb-backup`,
    },
    onlineScaling: {
      value: 'reads',
      says: 'Replicas and Galera nodes answer reads; each of them applies every write.',
      source: `${galera}/galera-architecture/introduction-to-galera-architecture`,
    },
    license: {
      value: ['GPL-2.0-only'],
      says: 'The server is under version 2 of the GPL.',
      source: `${docs}/general-resources/community/community/faq/licensing-questions/licensing-faq`,
    },
    openSource: {
      value: true,
      says: 'The GPL is approved.',
      source: `${docs}/general-resources/community/community/faq/licensing-questions/licensing-faq`,
    },
    selfHosted: {
      value: true,
      says: 'It runs anywhere.',
      source: `${docs}/general-resources/community/community/faq/licensing-questions/licensing-faq`,
    },
  },
})
