import { type KnownStore, known } from '../known-store.ts'

const docs = 'https://docs.aws.amazon.com/AmazonS3/latest/userguide'

/** Facts about Amazon S3 from its documentation; compatible services may differ. */
export const s3: KnownStore = known({
  name: 's3',
  title: 'Amazon S3',
  version: 'the service',
  checked: '2026-11-27',
  facts: {
    dataModel: { value: ['object'], says: 'Buckets of objects by key.', source: `${docs}/Welcome.html` },
    sharding: {
      value: 'automatic',
      says: 'The service divides a bucket by prefixes of its keys.',
      source: `${docs}/optimizing-performance.html`,
      checked: '2026-12-01',
    },
    replication: {
      value: ['asynchronous'],
      says: 'Each object is in at least three zones; S3 Replication copies to other buckets later.',
      source: `${docs}/DataDurability.html`,
    },
    automaticFailover: {
      value: true,
      says: 'Objects survive the loss of a zone, but for One Zone classes.',
      source: `${docs}/DataDurability.html`,
    },
    consistency: {
      value: ['strong'],
      says: 'Reads and listings see every write that was acknowledged.',
      source: `${docs}/Welcome.html`,
    },
    transactions: {
      value: 'record',
      says: 'One object at a time, also by condition.',
      source: `${docs}/conditional-writes.html`,
    },
    secondaryIndexes: {
      value: [],
      says: 'Objects are found by key only.',
      source: `${docs}/Welcome.html`,
    },
    queries: {
      value: ['range'],
      says: 'Keys are listed in their order.',
      source: 'https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectsV2.html',
    },
    tls: { value: true, says: 'TLS 1.2 and later.', source: `${docs}/network-isolation.html` },
    authentication: {
      value: ['signature', 'token'],
      says: 'Requests are signed with the keys or temporary credentials of AWS.',
      source: `${docs}/network-isolation.html`,
    },
    accessControl: {
      value: true,
      says: 'IAM policies, bucket policies and access points.',
      source: `${docs}/Welcome.html`,
    },
    encryptionAtRest: {
      value: 'included',
      says: 'S3 encrypts objects with its own or your keys.',
      source: `${docs}/serv-side-encryption.html`,
    },
    onlineBackup: {
      value: true,
      says: 'Versions of objects, and AWS Backup.',
      source: `${docs}/backup-for-s3.html`,
    },
    pointInTimeRecovery: {
      value: 'included',
      says: 'AWS Backup restores a moment, where versioning is on.',
      source: `${docs}/backup-for-s3.html`,
    },
    onlineScaling: {
      value: 'writes',
      says: 'It scales by itself, prefix by prefix.',
      source: `${docs}/optimizing-performance.html`,
    },
    license: {
      value: ['LicenseRef-AWS'],
      says: 'A service of Amazon, under its terms.',
      source: 'https://aws.amazon.com/service-terms/',
    },
    openSource: {
      value: false,
      says: 'It is a service; some compatible servers are open source.',
      source: `${docs}/Welcome.html`,
    },
    selfHosted: {
      value: false,
      says: 'It is a service; compatible servers run on your machines.',
      source: `${docs}/Welcome.html`,
    },
  },
})
