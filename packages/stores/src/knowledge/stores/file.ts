import { type KnownStore, known } from '../known-store.ts'

const docs = 'https://github.com/unikv/unikv/blob/main'
const adapter = `${docs}/packages/adapters/file/README.md`

/** Facts about the file store, which is unikv's own. */
export const file: KnownStore = known({
  name: 'file',
  title: 'Files',
  version: 'unikv 0.1',
  checked: '2026-11-27',
  facts: {
    dataModel: { value: ['key-value'], says: 'A file for each record.', source: adapter },
    sharding: {
      value: 'none',
      says: 'The records are on one machine.',
      source: adapter,
      checked: '2026-12-01',
    },
    replication: { value: [], says: 'There is one copy on one machine.', source: adapter },
    automaticFailover: { value: false, says: 'There is one copy on one machine.', source: adapter },
    consistency: { value: ['strong'], says: 'There is one copy.', source: adapter },
    transactions: { value: 'record', says: 'One record at a time, also by condition.', source: adapter },
    secondaryIndexes: { value: [], says: 'Records are found by key only.', source: adapter },
    queries: { value: [], says: 'Records are found by key only.', source: adapter },
    inMemory: {
      value: 'none',
      says: 'Each record is a file.',
      source: adapter,
      checked: '2026-12-01',
    },
    tls: {
      value: true,
      says: 'The store runs inside the program, so no data goes over a network.',
      source: adapter,
    },
    authentication: { value: [], says: 'The operating system decides.', source: adapter },
    accessControl: { value: false, says: 'Only the operating system has users.', source: adapter },
    encryptionAtRest: {
      value: 'none',
      says: 'The file system may encrypt, or the layer encryption of unikv.',
      source: adapter,
    },
    onlineScaling: { value: 'none', says: 'It is one machine.', source: adapter },
    license: { value: ['Apache-2.0'], says: 'It is a part of unikv.', source: `${docs}/LICENSE` },
    openSource: { value: true, says: 'The Apache License is approved.', source: `${docs}/LICENSE` },
    selfHosted: { value: true, says: 'It is a folder.', source: adapter },
  },
})
