import { type KnownStore, known } from '../known-store.ts'

const docs = 'https://github.com/unikv/unikv/blob/main'
const contract = `${docs}/docs/concepts/contract.md`

/** Facts about the memory store, which is unikv's own. */
export const memory: KnownStore = known({
  name: 'memory',
  title: 'Memory',
  version: 'unikv 0.1',
  checked: '2026-11-27',
  facts: {
    dataModel: { value: ['key-value'], says: 'A map in the process.', source: contract },
    sharding: {
      value: 'none',
      says: 'The records are in one process.',
      source: contract,
      checked: '2026-12-01',
    },
    replication: { value: [], says: 'There is one copy.', source: contract },
    automaticFailover: { value: false, says: 'The records end with the process.', source: contract },
    consistency: { value: ['strong'], says: 'There is one copy.', source: contract },
    transactions: { value: 'record', says: 'One record at a time, also by condition.', source: contract },
    secondaryIndexes: { value: [], says: 'Records are found by key only.', source: contract },
    queries: { value: ['range'], says: 'Keys are listed in their order.', source: contract },
    inMemory: {
      value: 'included',
      says: 'There are no files.',
      source: contract,
      checked: '2026-12-01',
    },
    tls: {
      value: true,
      says: 'The store runs inside the program, so no data goes over a network.',
      source: contract,
    },
    authentication: { value: [], says: 'The process has everything.', source: contract },
    accessControl: { value: false, says: 'The process has everything.', source: contract },
    encryptionAtRest: { value: 'none', says: 'Nothing is written to a disk.', source: contract },
    onlineBackup: {
      value: false,
      says: 'It has no backup of its own; unikv snapshot reads all records.',
      source: `${docs}/docs/guides/copy-and-back-up.md`,
    },
    pointInTimeRecovery: { value: 'none', says: 'It keeps no history.', source: contract },
    onlineScaling: { value: 'none', says: 'It is one process.', source: contract },
    license: { value: ['Apache-2.0'], says: 'It is a part of unikv.', source: `${docs}/LICENSE` },
    openSource: { value: true, says: 'The Apache License is approved.', source: `${docs}/LICENSE` },
    selfHosted: { value: true, says: 'It runs in the process.', source: contract },
  },
})
