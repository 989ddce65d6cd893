import { memory } from '@unikv/core/memory'
import { file } from '@unikv/file'
import { lmdb } from '@unikv/lmdb'
import type { StoreFacts } from './store-facts.ts'

// Capabilities are there before anything is opened.
const directory = './data'

export const memoryFacts: StoreFacts = {
  name: 'memory',
  title: 'Memory',
  adapter: '@unikv/core/memory',
  drivers: [],
  urls: ['memory:'],
  variants: [{ options: '', capabilities: memory().capabilities }],
  costs: {
    read: 'one lookup',
    readMany: 'one lookup a key',
    set: 'one entry',
    setMany: 'one entry a key, all at once',
    conditionalSet: 'one lookup and one entry',
    delete: 'one entry',
    scanPage: 'the whole map is walked and sorted',
  },
  consistency: { strong: 'the only copy there is' },
  testedOn: 'this process',
  notes: ['Ends with the process.'],
}

export const fileFacts: StoreFacts = {
  name: 'file',
  title: 'Files',
  adapter: '@unikv/file',
  drivers: [],
  urls: ['file:./data', 'file:///var/data?durability=buffered'],
  variants: [
    { options: '', capabilities: file({ directory }).capabilities },
    {
      options: "durability: 'buffered'",
      capabilities: file({ directory, durability: 'buffered' }).capabilities,
    },
    { options: 'sync: true', capabilities: file({ directory, sync: true }).capabilities },
  ],
  costs: {
    read: 'open, read, close one file',
    readMany: 'a file a key',
    set: 'write a file, fsync, rename, fsync of the folder',
    setMany: 'the same for each key, side by side',
    conditionalSet: 'the same under a lock of the key',
    delete: 'unlink, fsync of the folder',
    scanPage: 'a listing of the folders; values are files',
  },
  consistency: { strong: 'the file itself' },
  testedOn: 'ext4 on Linux; 500 times killed, 10,000 modelled power cuts',
  notes: [
    'A record a file: each takes a block. For many small records take LMDB or SQLite.',
    'One machine: not over NFS.',
  ],
}

export const lmdbFacts: StoreFacts = {
  name: 'lmdb',
  title: 'LMDB',
  adapter: '@unikv/lmdb',
  drivers: ['lmdb'],
  urls: ['lmdb:./data'],
  variants: [
    { options: '', capabilities: lmdb({ path: directory }).capabilities },
    {
      options: "durability: 'buffered'",
      capabilities: lmdb({ path: directory, durability: 'buffered' }).capabilities,
    },
    { options: 'sync: true', capabilities: lmdb({ path: directory, sync: true }).capabilities },
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
  testedOn: 'lmdb 3.5 on ext4; 500 times killed',
  notes: ['One machine, one writer at a time; readers never wait.', 'Keys of at most 1,978 bytes.'],
}
