import { type KnownStore, known } from '../known-store.ts'

const docs = 'https://www.sqlite.org'

/** Facts about SQLite from its documentation. */
export const sqlite: KnownStore = known({
  name: 'sqlite',
  title: 'SQLite',
  version: 'SQLite 3.40',
  checked: '2026-11-27',
  facts: {
    dataModel: {
      value: ['relational', 'document'],
      says: 'Tables, whose columns can hold JSON documents too.',
      source: `${docs}/json1.html`,
    },
    sharding: {
      value: 'none',
      says: 'It is a library over one file.',
      source: `${docs}/serverless.html`,
      checked: '2026-12-01',
    },
    replication: { value: [], says: 'It is a library over one file.', source: `${docs}/serverless.html` },
    automaticFailover: {
      value: false,
      says: 'It is a library over one file.',
      source: `${docs}/serverless.html`,
    },
    consistency: {
      value: ['strong'],
      says: 'Transactions are serializable.',
      source: `${docs}/isolation.html`,
    },
    transactions: {
      value: 'any',
      says: 'Serializable transactions over any rows; one writer at a time.',
      source: `${docs}/isolation.html`,
    },
    secondaryIndexes: {
      value: ['ordered', 'unique', 'text', 'spatial'],
      says: 'Indexes on columns and expressions; FTS5 for text, R*Tree for areas.',
      source: `${docs}/lang_createindex.html`,
    },
    queries: {
      value: ['range', 'filter', 'aggregate', 'join', 'sql'],
      says: 'SQL, with joins, windows and recursion.',
      source: `${docs}/lang_select.html`,
    },
    inMemory: {
      value: 'included',
      says: 'A database named :memory: has no file.',
      source: `${docs}/inmemorydb.html`,
      checked: '2026-12-01',
    },
    cacheTuning: {
      value: true,
      says: 'PRAGMA cache_size sets the pages in memory.',
      source: `${docs}/pragma.html`,
      checked: '2026-12-01',
    },
    tls: {
      value: true,
      says: 'The store runs inside the program, so no data goes over a network.',
      source: `${docs}/serverless.html`,
    },
    authentication: { value: [], says: 'The operating system decides.', source: `${docs}/omitted.html` },
    accessControl: {
      value: false,
      says: 'GRANT and REVOKE are not there; files have the rights of the operating system.',
      source: `${docs}/omitted.html`,
    },
    encryptionAtRest: {
      value: 'paid',
      says: 'The SQLite Encryption Extension is sold.',
      source: `${docs}/prosupport.html`,
    },
    onlineBackup: {
      value: true,
      says: 'The backup API copies a database while it is used.',
      source: `${docs}/backup.html`,
    },
    onlineScaling: { value: 'none', says: 'It is one machine.', source: `${docs}/serverless.html` },
    license: {
      value: ['blessing'],
      says: 'It is in the public domain.',
      source: `${docs}/copyright.html`,
    },
    openSource: { value: true, says: 'It is in the public domain.', source: `${docs}/copyright.html` },
    selfHosted: { value: true, says: 'It is a library.', source: `${docs}/serverless.html` },
  },
})
