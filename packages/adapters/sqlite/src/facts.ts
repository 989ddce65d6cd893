import type { StoreFacts } from '@unikv/core/adapter'
import { sqlite } from './sqlite.ts'

// Capabilities are there before anything is opened.
const path = './data.db'

/** Facts about SQLite, for engineers who choose a store. */
export const sqliteFacts: StoreFacts = {
  name: 'sqlite',
  title: 'SQLite',
  adapter: '@unikv/sqlite',
  drivers: ['libsql'],
  urls: ['sqlite:./data.db?threads=2', 'sqlite:///var/data.db?durability=buffered'],
  variants: [
    { options: '', capabilities: sqlite({ path }).capabilities },
    {
      options: "durability: 'buffered'",
      capabilities: sqlite({ path, durability: 'buffered' }).capabilities,
    },
    { options: 'threads: 0', capabilities: sqlite({ path, threads: 0 }).capabilities },
    { options: "values: 'document'", capabilities: sqlite({ path, values: 'document' }).capabilities },
  ],
  costs: {
    read: '1 SELECT by key, in a worker thread',
    readMany: 'a SELECT a key, in one message to the thread',
    set: '1 transaction, shared by the writes that wait, and its fsync',
    setMany: '1 transaction',
    conditionalSet: 'the same; after a refusal 1 SELECT',
    delete: 'as set',
    scanPage: '1 SELECT by range of the key index',
  },
  consistency: { strong: 'every read sees the last commit' },
  sources: ['https://www.sqlite.org/limits.html', 'https://www.sqlite.org/wal.html'],
  testedOn: 'libsql 0.5.29 (SQLite 3.45) on Linux; writers killed at any moment',
  notes: [
    'One machine: not over NFS.',
    'With threads: 0 every call waits for the disk in the caller’s thread.',
  ],
}
