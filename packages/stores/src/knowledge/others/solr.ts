import { type KnownStore, known } from '../known-store.ts'

const guide = 'https://solr.apache.org/guide/solr/latest'
const deployment = `${guide}/deployment-guide`
const updates = `${deployment}/solrcloud-update-consistency.html`
const license = 'https://github.com/apache/solr/blob/main/LICENSE.txt'

/** Facts about Solr from its guide. */
export const solr: KnownStore = known({
  name: 'solr',
  title: 'Apache Solr',
  unopened: 'it is a search engine, whose searches see a write only after a commit',
  version: 'Solr 10',
  checked: '2026-12-01',
  facts: {
    dataModel: {
      value: ['document'],
      says: 'Collections of documents with fields.',
      source: `${guide}/getting-started/documents-fields-schema-design.html`,
    },
    sharding: {
      value: 'automatic',
      says: 'Hashes of ids place documents in the shards of a collection.',
      source: `${deployment}/solrcloud-shards-indexing.html`,
    },
    replication: {
      value: ['asynchronous'],
      says: 'A leader hands updates on, but answers though a replica fails to take them.',
      source: updates,
    },
    automaticFailover: {
      value: true,
      says: 'A new leader is chosen among the replicas that are up to date.',
      source: updates,
    },
    quorums: {
      value: false,
      says: 'An update tells how many replicas have it, and demands none.',
      source: `${deployment}/solrcloud-recoveries-and-write-tolerance.html`,
    },
    consistency: {
      value: ['eventual'],
      says: 'A search sees an update after a commit, on each replica by itself.',
      source: updates,
    },
    transactions: { value: 'record', says: 'One document at a time, also by its version.', source: updates },
    secondaryIndexes: {
      value: ['ordered', 'text', 'spatial', 'vector'],
      says: 'Fields are indexed by their types: words, numbers, places, vectors.',
      source: `${guide}/indexing-guide/field-types-included-with-solr.html`,
    },
    queries: {
      value: ['range', 'filter', 'aggregate', 'join', 'sql'],
      says: 'Queries on any indexed fields, facets, joins, and SQL.',
      source: `${guide}/query-guide/query-syntax-and-parsers.html`,
    },
    cacheTuning: {
      value: true,
      says: 'The caches of filters, results and documents have sizes.',
      source: `${guide}/configuration-guide/caches-warming.html`,
    },
    compression: {
      value: true,
      says: 'Stored fields are compressed; a codec chooses between speed and size.',
      source: `${guide}/configuration-guide/codec-factory.html`,
    },
    tls: { value: true, says: 'TLS for clients and nodes.', source: `${deployment}/enabling-ssl.html` },
    authentication: {
      value: ['password', 'token', 'certificate'],
      says: 'Passwords, JSON web tokens, certificates, and plug-ins.',
      source: `${deployment}/authentication-and-authorization-plugins.html`,
    },
    accessControl: {
      value: true,
      says: 'Roles have permissions on collections and paths.',
      source: `${deployment}/rule-based-authorization-plugin.html`,
    },
    onlineBackup: {
      value: true,
      says: 'Collections are backed up while they serve.',
      source: `${deployment}/backup-restore.html`,
    },
    license: { value: ['Apache-2.0'], says: 'The Apache License.', source: license },
    openSource: { value: true, says: 'The Apache License is approved.', source: license },
    selfHosted: {
      value: true,
      says: 'It runs anywhere with Java.',
      source: `${deployment}/installing-solr.html`,
    },
  },
})
