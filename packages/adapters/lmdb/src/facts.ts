import type { StoreFacts } from '@unikv/core/adapter'
import { lmdb } from './lmdb.ts'

// Capabilities are there before anything is opened.
const path = './data'

/** Facts about LMDB, for engineers who choose a store. */
export const lmdbFacts: StoreFacts = {
  name: 'lmdb',
  title: 'LMDB',
  adapter: '@unikv/lmdb',
  drivers: ['lmdb'],
  urls: ['lmdb:./data'],
  variants: [
    { options: '', capabilities: lmdb({ path }).capabilities },
    {
      options: "durability: 'buffered'",
      capabilities: lmdb({ path, durability: 'buffered' }).capabilities,
    },
    { options: 'sync: true', capabilities: lmdb({ path, sync: true }).capabilities },
  ],
  costs: {
    read: 'a lookup in mapped memory, without a promise',
    readMany: 'a lookup a key',
    set: 'one transaction, shared by the writes of a turn, and its fsync',
    setMany: 'one transaction',
    conditionalSet: 'checked in the transaction',
    delete: 'as set',
    scanPage: 'a range of the tree',
  },
  consistency: { strong: 'the committed tree' },
  sources: ['http://www.lmdb.tech/doc/group__mdb.html', 'https://github.com/kriszyp/lmdb-js#readme'],
  testedOn: 'lmdb 3.5 on ext4; 500 times killed',
  notes: ['One machine, one writer at a time; readers never wait.', 'Keys of at most 1,978 bytes.'],
}
