import { type KnownStore, known } from '../known-store.ts'

const files = 'https://github.com/memcached/memcached/blob/master'
const about = 'https://memcached.org/about'
const protocol = `${files}/doc/protocol.txt`

/** Facts about memcached from its documentation. */
export const memcached: KnownStore = known({
  name: 'memcached',
  title: 'memcached',
  version: 'memcached 1.6',
  checked: '2026-11-27',
  facts: {
    dataModel: { value: ['key-value'], says: 'Keys and values in memory, as a cache.', source: protocol },
    sharding: {
      value: 'manual',
      says: 'Clients choose the server of a key; servers do not know each other.',
      source: about,
      checked: '2026-12-01',
    },
    replication: { value: [], says: 'Servers do not know each other.', source: about },
    automaticFailover: {
      value: false,
      says: 'The items of a lost server are gone; clients may turn to others.',
      source: about,
    },
    consistency: {
      value: ['strong'],
      says: 'One server has each key; it may drop it at any time to make room.',
      source: about,
    },
    transactions: { value: 'record', says: 'cas sets one item if it has not changed.', source: protocol },
    secondaryIndexes: { value: [], says: 'Items are found by key only.', source: protocol },
    queries: { value: [], says: 'Items are found by key only.', source: protocol },
    inMemory: {
      value: 'included',
      says: 'All items are in memory.',
      source: about,
      checked: '2026-12-01',
    },
    tls: { value: true, says: 'TLS, where it is built with it.', source: `${files}/doc/tls.txt` },
    authentication: {
      value: ['password', 'certificate'],
      says: 'A name and a password, SASL, or client certificates with TLS.',
      source: `${files}/doc/tls.txt`,
    },
    onlineScaling: {
      value: 'writes',
      says: 'Clients spread keys over more servers; those keys that move are lost.',
      source: about,
    },
    license: { value: ['BSD-3-Clause'], says: 'The BSD license.', source: `${files}/LICENSE` },
    openSource: { value: true, says: 'The BSD license is approved.', source: `${files}/LICENSE` },
    selfHosted: { value: true, says: 'It runs anywhere.', source: `${files}/README.md` },
  },
})
