import { type KnownStore, known } from '../known-store.ts'

const docs = 'https://docs.couchdb.org/en/stable'
const license = 'https://github.com/apache/couchdb/blob/main/LICENSE'

/** Facts about CouchDB from its documentation. */
export const couchdb: KnownStore = known({
  name: 'couchdb',
  title: 'Apache CouchDB',
  version: 'CouchDB 3.5',
  checked: '2026-11-27',
  facts: {
    dataModel: {
      value: ['document'],
      says: 'Databases of JSON documents.',
      source: `${docs}/intro/overview.html`,
    },
    sharding: {
      value: 'automatic',
      says: 'Hashes of ids place documents in the shards of a database; moving shards is manual work.',
      source: `${docs}/cluster/sharding.html`,
      checked: '2026-12-01',
    },
    replication: {
      value: ['quorum', 'multi-leader'],
      says: 'A cluster keeps copies by quorum; databases anywhere replicate with each other.',
      source: `${docs}/cluster/theory.html`,
    },
    automaticFailover: {
      value: true,
      says: 'There is no primary: with three copies any two nodes can be down.',
      source: `${docs}/cluster/theory.html`,
    },
    quorums: {
      value: true,
      says: 'A request may name the copies that must answer, by r and w; else a majority does.',
      source: `${docs}/cluster/sharding.html`,
      checked: '2026-12-01',
    },
    consistency: {
      value: ['eventual'],
      says: 'Nodes reconcile their versions; conflicts are kept for the application.',
      source: `${docs}/intro/consistency.html`,
    },
    transactions: {
      value: 'record',
      says: 'One document at a time; bulk requests are not atomic.',
      source: `${docs}/api/database/bulk-api.html`,
    },
    secondaryIndexes: {
      value: ['ordered', 'text'],
      says: 'Views, Mango indexes, and full text with Nouveau or Clouseau.',
      source: `${docs}/ddocs/index.html`,
    },
    queries: {
      value: ['range', 'filter', 'aggregate'],
      says: 'Ranges and reductions of views, selectors of Mango.',
      source: `${docs}/api/database/find.html`,
    },
    inMemory: {
      value: 'none',
      says: 'Databases are files, which are only appended to.',
      source: `${docs}/config/couchdb.html`,
      checked: '2026-12-01',
    },
    cacheTuning: {
      value: true,
      says: 'Since 3.5 the nodes of B-trees have a cache with a size, bt_engine_cache; else the system caches.',
      source: `${docs}/whatsnew/3.5.html`,
      checked: '2026-12-01',
    },
    compression: {
      value: true,
      says: 'file_compression is snappy unless it is turned off or set to deflate.',
      source: `${docs}/config/couchdb.html`,
      checked: '2026-12-01',
    },
    tls: { value: true, says: 'HTTPS without a proxy.', source: `${docs}/config/http.html` },
    authentication: {
      value: ['password', 'token'],
      says: 'Basic, cookies, JSON web tokens, and a proxy before it.',
      source: `${docs}/api/server/authn.html`,
    },
    accessControl: {
      value: true,
      says: 'Each database has admins and members.',
      source: `${docs}/api/database/security.html`,
    },
    onlineBackup: {
      value: true,
      says: 'Files can be copied at any time, as they are only appended to; or by replication.',
      source: `${docs}/maintenance/backups.html`,
    },
    onlineScaling: {
      value: 'writes',
      says: 'Nodes can be added while it serves; shards are moved to them by hand.',
      source: `${docs}/cluster/sharding.html`,
    },
    license: { value: ['Apache-2.0'], says: 'The Apache License.', source: license },
    openSource: { value: true, says: 'The Apache License is approved.', source: license },
    selfHosted: { value: true, says: 'It runs anywhere.', source: `${docs}/install/index.html` },
  },
})
