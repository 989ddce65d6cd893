import { type KnownStore, known } from '../known-store.ts'

const docs = 'https://hbase.apache.org/docs'
const semantics = 'https://hbase.apache.org/acid-semantics'
const license = 'https://github.com/apache/hbase/blob/master/LICENSE.txt'

/** Facts about HBase from its documentation. */
export const hbase: KnownStore = known({
  name: 'hbase',
  title: 'Apache HBase',
  version: 'HBase 2',
  checked: '2026-11-27',
  facts: {
    dataModel: {
      value: ['wide-column'],
      says: 'Tables of ordered rows with families of columns.',
      source: `${docs}/architecture`,
    },
    sharding: {
      value: 'automatic',
      says: 'A table is split into regions by ranges of its keys, which the servers share.',
      source: `${docs}/architecture/regions`,
      checked: '2026-12-01',
    },
    replication: {
      value: ['asynchronous'],
      says: 'Region replicas and other clusters follow later; HDFS keeps copies of the files.',
      source: `${docs}/architecture/timeline-consistent-reads`,
    },
    automaticFailover: {
      value: true,
      says: 'The regions of a lost server move to others, usually after 20 to 30 seconds.',
      source: `${docs}/architecture/timeline-consistent-reads`,
    },
    quorums: {
      value: false,
      says: 'One server has each region, and HDFS makes the copies.',
      source: `${docs}/architecture/timeline-consistent-reads`,
      checked: '2026-12-01',
    },
    consistency: {
      value: ['eventual', 'strong'],
      says: 'One server has each region; reads of region replicas may be old.',
      source: `${docs}/architecture/timeline-consistent-reads`,
    },
    transactions: {
      value: 'record',
      says: 'Changes of one row are atomic, also by condition.',
      source: semantics,
    },
    secondaryIndexes: {
      value: [],
      says: 'There are none; the application or a coprocessor keeps tables of its own as indexes.',
      source: `${docs}/schema-design`,
      checked: '2026-12-01',
    },
    queries: {
      value: ['range', 'filter'],
      says: 'Scans of rows by range, with filters on the server.',
      source: `${docs}/architecture`,
    },
    inMemory: {
      value: 'none',
      says: 'IN_MEMORY families only have priority in the block cache; their files are in HDFS.',
      source: `${docs}/architecture/regionserver`,
      checked: '2026-12-01',
    },
    cacheTuning: {
      value: true,
      says: 'The block cache and the bucket cache have sizes.',
      source: `${docs}/architecture/regionserver`,
      checked: '2026-12-01',
    },
    compression: {
      value: true,
      says: 'A column family can have a compression, such as Snappy, LZ4 or Zstandard; by default it has none.',
      source: `${docs}/compression`,
      checked: '2026-12-01',
    },
    accessControl: {
      value: true,
      says: 'Access control lists and labels of cells.',
      source: `${docs}/security/example`,
    },
    encryptionAtRest: {
      value: 'included',
      says: 'Tables and the log are encrypted transparently.',
      source: `${docs}/security/example`,
    },
    onlineBackup: {
      value: true,
      says: 'Full and incremental backups of tables to HDFS or S3.',
      source: 'https://hbase.apache.org/book.html#backuprestore',
    },
    license: { value: ['Apache-2.0'], says: 'The Apache License.', source: license },
    openSource: { value: true, says: 'The Apache License is approved.', source: license },
    selfHosted: { value: true, says: 'It runs on your machines, on HDFS.', source: `${docs}/architecture` },
  },
})
