import { type KnownStore, known } from '../known-store.ts'

const docs = 'https://www.elastic.co/docs'
const reference = `${docs}/reference/elasticsearch`
const writing = `${docs}/deploy-manage/distributed-architecture/reading-and-writing-documents`
const access = `${docs}/deploy-manage/users-roles/cluster-or-deployment-auth`
const license = 'https://github.com/elastic/elasticsearch/blob/main/LICENSE.txt'

/** Facts about Elasticsearch from its documentation. */
export const elasticsearch: KnownStore = known({
  name: 'elasticsearch',
  title: 'Elasticsearch',
  unopened: 'it is a search engine, whose searches and listings see a write only later',
  version: 'Elasticsearch 9',
  checked: '2026-12-01',
  facts: {
    dataModel: {
      value: ['document'],
      says: 'Indexes of JSON documents.',
      source: `${docs}/manage-data/data-store/index-basics`,
    },
    sharding: {
      value: 'automatic',
      says: 'Hashes of ids place documents in the shards of an index, which nodes share.',
      source: `${docs}/deploy-manage/distributed-architecture/clusters-nodes-shards`,
    },
    replication: {
      value: ['synchronous'],
      says: 'A primary shard answers a write when all copies that are in sync have it.',
      source: writing,
    },
    automaticFailover: {
      value: true,
      says: 'The master makes a copy that is in sync the new primary.',
      source: writing,
    },
    quorums: {
      value: false,
      says: 'All copies in sync take a write and one of them a read, which its makers set against quorums.',
      source: writing,
    },
    consistency: {
      value: ['eventual'],
      says: 'A search sees a write after the next refresh; a cut-off primary may show writes that fail.',
      source: `${docs}/manage-data/data-store/near-real-time-search`,
    },
    transactions: {
      value: 'record',
      says: 'One document at a time, also by the number of its last change.',
      source: `${reference}/rest-apis/optimistic-concurrency-control`,
    },
    secondaryIndexes: {
      value: ['ordered', 'text', 'spatial', 'vector'],
      says: 'Fields are indexed by their types: words, numbers, places, vectors.',
      source: `${reference}/mapping-reference/field-data-types`,
    },
    queries: {
      value: ['range', 'filter', 'aggregate', 'sql'],
      says: 'Queries on any indexed fields, aggregations, and SQL.',
      source: `${docs}/explore-analyze/query-filter/languages/querydsl`,
    },
    inMemory: {
      value: 'none',
      says: 'All kinds of store are files.',
      source: `${reference}/index-settings/store`,
    },
    cacheTuning: {
      value: true,
      says: 'The caches of queries, requests and fields have sizes.',
      source: `${reference}/configuration-reference/node-query-cache-settings`,
    },
    compression: {
      value: true,
      says: 'Stored documents are compressed; index.codec chooses how.',
      source: `${reference}/index-settings/index-modules`,
    },
    tls: {
      value: true,
      says: 'TLS for clients and between nodes.',
      source: `${docs}/deploy-manage/security/secure-cluster-communications`,
    },
    authentication: {
      value: ['password', 'token', 'certificate', 'ldap', 'kerberos'],
      says: 'Passwords and keys in every edition; LDAP, Kerberos and others in paid ones.',
      source: `${access}/user-authentication`,
    },
    accessControl: {
      value: true,
      says: 'Roles have privileges on clusters and indexes.',
      source: `${access}/user-roles`,
    },
    onlineBackup: {
      value: true,
      says: 'Snapshots are taken of a running cluster.',
      source: `${docs}/deploy-manage/tools/snapshot-and-restore`,
    },
    onlineScaling: {
      value: 'writes',
      says: 'Shards move to new nodes by themselves; their number is fixed when an index is made.',
      source: `${docs}/deploy-manage/distributed-architecture/clusters-nodes-shards`,
    },
    license: {
      value: ['AGPL-3.0-only', 'SSPL-1.0', 'Elastic-2.0'],
      says: 'The source can be had under one of three licenses.',
      source: license,
    },
    openSource: { value: true, says: 'The AGPL is one of its licenses.', source: license },
    selfHosted: { value: true, says: 'It runs on your machines.', source: `${docs}/deploy-manage/deploy` },
  },
})
