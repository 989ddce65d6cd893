import { couchdb } from '@unikv/couchdb'
import type { StoreFacts } from './store-facts.ts'

const url = 'couchdb://127.0.0.1:5984/database'

export const couchdbFacts: StoreFacts = {
  name: 'couchdb',
  title: 'CouchDB and Cloudant',
  adapter: '@unikv/couchdb',
  drivers: ['nano'],
  urls: ['couchdb://user:password@host:5984/database', 'couchdbs://user:password@host/database'],
  variants: [
    { options: '', capabilities: couchdb({ url }).capabilities },
    { options: "values: 'document'", capabilities: couchdb({ url, values: 'document' }).capabilities },
  ],
  costs: {
    read: '1 GET of the document',
    readMany: '1 POST _all_docs with the keys',
    set: '1 request for the revision, 1 PUT bound to it',
    setMany: '1 request for all revisions, 1 _bulk_docs, told item by item',
    conditionalSet: '1 request for revision and version, 1 PUT bound to the revision',
    delete: '1 request for the revision, 1 DELETE bound to it',
    scanPage: '1 _all_docs by range',
  },
  consistency: {},
  testedOn: 'a PouchDB-based server with a shim, not CouchDB itself',
  notes: [
    'Bytes travel as base64: a third more. Documents of at most 8,000,000 bytes.',
    'Deleted documents leave tombstones.',
    'After replication between clusters the winning revision is read; conflicts are not resolved.',
  ],
}
