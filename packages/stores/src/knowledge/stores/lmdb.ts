import { type KnownStore, known } from '../known-store.ts'

const header = 'https://github.com/LMDB/lmdb/blob/mdb.master/libraries/liblmdb/lmdb.h'
const node = 'https://github.com/kriszyp/lmdb-js#readme'

/** Facts about LMDB from its documentation. */
export const lmdb: KnownStore = known({
  name: 'lmdb',
  title: 'LMDB',
  version: 'LMDB 0.9, lmdb-js 3.5',
  checked: '2026-11-27',
  facts: {
    dataModel: { value: ['key-value'], says: 'Ordered keys and values in mapped memory.', source: header },
    sharding: {
      value: 'none',
      says: 'The records are on one machine.',
      source: header,
      checked: '2026-12-01',
    },
    replication: { value: [], says: 'There is one copy on one machine.', source: header },
    automaticFailover: { value: false, says: 'There is one copy on one machine.', source: header },
    consistency: { value: ['strong'], says: 'Readers see the last commit.', source: header },
    transactions: {
      value: 'any',
      says: 'Transactions over any records; one writer at a time, readers never wait.',
      source: header,
    },
    secondaryIndexes: {
      value: [],
      says: 'It has none; further databases can serve as such.',
      source: header,
    },
    queries: { value: ['range'], says: 'Ranges of keys by cursors, both ways.', source: header },
    compression: {
      value: true,
      says: 'lmdb-js compresses values by LZ4 where it is told to.',
      source: node,
      checked: '2026-12-01',
    },
    tls: {
      value: true,
      says: 'The store runs inside the program, so no data goes over a network.',
      source: header,
    },
    authentication: { value: [], says: 'It is a library: the operating system decides.', source: header },
    accessControl: { value: false, says: 'Only the operating system has users.', source: header },
    encryptionAtRest: {
      value: 'included',
      says: 'lmdb-js encrypts with the option encryptionKey; LMDB 0.9 itself does not.',
      source: node,
    },
    onlineBackup: { value: true, says: 'A copy is made in a read transaction.', source: header },
    onlineScaling: { value: 'none', says: 'It is one machine.', source: header },
    license: {
      value: ['OLDAP-2.8'],
      says: 'The OpenLDAP Public License; lmdb-js is under MIT.',
      source: 'https://github.com/LMDB/lmdb/blob/mdb.master/libraries/liblmdb/LICENSE',
    },
    openSource: {
      value: true,
      says: 'The OpenLDAP Public License is approved.',
      source: 'https://spdx.org/licenses/OLDAP-2.8.html',
    },
    selfHosted: { value: true, says: 'It is a library.', source: header },
  },
})
