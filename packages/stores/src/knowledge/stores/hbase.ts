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
    queries: {
      value: ['range', 'filter'],
      says: 'Scans of rows by range, with filters on the server.',
      source: `${docs}/architecture`,
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
