import type { StoreFacts } from '@unikv/core/adapter'
import { hbase } from './hbase.ts'

const url = 'http://127.0.0.1:8080'

/** Facts about HBase, for engineers who choose a store. */
export const hbaseFacts: StoreFacts = {
  name: 'hbase',
  title: 'Apache HBase',
  adapter: '@unikv/hbase',
  drivers: [],
  urls: ['hbase://host:8080/table', 'hbases://user:password@host/table'],
  variants: [
    { options: '', capabilities: hbase({ url }).capabilities },
    {
      options: "durability: 'replicated'",
      capabilities: hbase({ url, durability: 'replicated' }).capabilities,
    },
  ],
  costs: {
    read: '1 GET of a row by the REST gateway',
    readMany: '1 multi-get',
    set: '1 PUT of a row',
    setMany: '1 PUT of many rows',
    conditionalSet: '1 check-and-put; of a record with expiry 1 GET and another',
    delete: '1 PUT of a row, which stays empty until it is met later',
    scanPage: '1 scan by range of row keys',
  },
  consistency: { strong: 'the one region server that has the row answers' },
  sources: ['https://hbase.apache.org/book.html'],
  testedOn: 'HBase 2.6.1 with its REST gateway, one machine',
  notes: [
    'By the REST gateway, as there is no maintained client for Node.js.',
    'Expiry goes by the clock of the client.',
    'The clocks of region servers order writes: one that goes back hides an unconditional write behind an older one.',
  ],
}
