import { type KnownStore, known } from '../known-store.ts'

const docs = 'https://docs.janusgraph.org'
const backends = `${docs}/storage-backend/`
const license = 'https://github.com/JanusGraph/janusgraph/blob/master/LICENSE.txt'

/** Facts about JanusGraph, which goes on with Titan, from its documentation. */
export const janusgraph: KnownStore = known({
  name: 'janusgraph',
  title: 'JanusGraph (Titan)',
  unopened: 'it is a graph store, whose vertices and edges have no keys of yours',
  version: 'JanusGraph 1.1',
  checked: '2026-12-01',
  facts: {
    dataModel: {
      value: ['graph'],
      says: 'Vertices and edges with properties.',
      source: `${docs}/getting-started/architecture/`,
    },
    sharding: {
      value: 'automatic',
      says: 'Over a store with several nodes vertices are placed at random; edges may cross nodes.',
      source: `${docs}/advanced-topics/partitioning/`,
    },
    consistency: {
      value: ['eventual'],
      says: 'Over Cassandra or HBase a schema must ask for locks where data has to agree.',
      source: `${docs}/advanced-topics/eventual-consistency/`,
    },
    secondaryIndexes: {
      value: ['ordered', 'unique', 'text', 'spatial'],
      says: 'Composite indexes of its own; mixed ones by Elasticsearch, Solr or Lucene.',
      source: `${docs}/schema/index-management/index-performance/`,
    },
    queries: {
      value: ['range', 'filter', 'aggregate', 'join'],
      says: 'Gremlin: walks through the graph, filters and aggregates.',
      source: `${docs}/getting-started/gremlin/`,
    },
    inMemory: {
      value: 'included',
      says: 'The backend inmemory keeps all data in one process.',
      source: `${backends}inmemorybackend/`,
    },
    cacheTuning: {
      value: true,
      says: 'The caches of a transaction and of a database have sizes.',
      source: `${docs}/operations/cache/`,
    },
    license: { value: ['Apache-2.0'], says: 'The Apache License.', source: license },
    openSource: { value: true, says: 'The Apache License is approved.', source: license },
    selfHosted: {
      value: true,
      says: 'It runs on your machines, over another store.',
      source: `${docs}/operations/deployment/`,
    },
  },
})
