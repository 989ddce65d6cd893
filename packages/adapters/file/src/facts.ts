import type { StoreFacts } from '@unikv/core/adapter'
import { file } from './file.ts'

// Capabilities are there before anything is opened.
const directory = './data'

/** Facts about the file store, for engineers who choose a store. */
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
  sources: [
    'https://pubs.opengroup.org/onlinepubs/9799919799/functions/rename.html',
    'https://man7.org/linux/man-pages/man2/fsync.2.html',
  ],
  testedOn: 'ext4 on Linux; 500 times killed, 10,000 modelled power cuts',
  notes: [
    'A record a file: each takes a block. For many small records take LMDB or SQLite.',
    'One machine: not over NFS.',
  ],
}
