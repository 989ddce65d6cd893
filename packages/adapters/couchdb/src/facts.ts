import type { StoreFacts } from '@unikv/core/adapter'
import { couchdb } from './couchdb.ts'

const url = 'couchdb://127.0.0.1:5984/database'

/** Facts about CouchDB, for engineers who choose a store. */
export const couchdbFacts: StoreFacts = {
  name: 'couchdb',
  title: 'CouchDB and Cloudant',
  adapter: '@unikv/couchdb',
  drivers: ['nano'],
  urls: ['couchdb://user:password@host:5984/database', 'couchdbs://user:password@host/database'],
  variants: [
    { options: '', capabilities: couchdb({ url }).capabilities },
    {
      options: "isolation: 'linearizable' (one copy of each document, which is checked)",
      capabilities: couchdb({ url, isolation: 'linearizable' }).capabilities,
    },
    { options: "values: 'document'", capabilities: couchdb({ url, values: 'document' }).capabilities },
  ],
  costs: {
    read: '1 GET of the document',
    readMany: '1 POST _all_docs with the keys',
    set: '1 _bulk_docs bound to the revision last seen here; 1 more and 1 request for the revision if that is not the present one',
    setMany: 'the same for all, told item by item',
    conditionalSet:
      '1 _bulk_docs bound to the revision; 1 _find before it if the version was not read or written here',
    delete: '1 _bulk_docs; 1 request for the revision before it if it was not seen here',
    scanPage: '1 _find by range of ids',
  },
  consistency: {},
  sources: [
    'https://docs.couchdb.org/en/stable/config/couchdb.html',
    'https://docs.couchdb.org/en/stable/api/document/common.html',
  ],
  testedOn: 'a PouchDB-based server with a shim, not CouchDB itself',
  notes: [
    'Bytes travel as base64: a third more. Documents of at most 8,000,000 bytes, 1 MB in Cloudant.',
    'Deleted documents leave tombstones.',
    'After replication between clusters the winning revision is read; conflicts are not resolved.',
  ],
}
