import { type KnownStore, known } from '../known-store.ts'

const docs = 'https://docs.aws.amazon.com/amazondynamodb/latest/developerguide'

/** Facts about DynamoDB from its documentation. */
export const dynamodb: KnownStore = known({
  name: 'dynamodb',
  title: 'Amazon DynamoDB',
  version: 'the service',
  checked: '2026-11-27',
  facts: {
    dataModel: {
      value: ['key-value', 'document'],
      says: 'Tables of items with a primary key and any attributes, also nested.',
      source: `${docs}/SQLtoNoSQL.WhyDynamoDB.html`,
    },
    sharding: {
      value: 'automatic',
      says: 'Hashes of partition keys place items in partitions, which the service manages.',
      source: `${docs}/HowItWorks.Partitions.html`,
      checked: '2026-12-01',
    },
    replication: {
      value: ['multi-leader'],
      says: 'Copies in several zones of a region; global tables take writes in several regions.',
      source: `${docs}/GlobalTables.html`,
    },
    automaticFailover: {
      value: true,
      says: 'The service keeps tables available over zones.',
      source: `${docs}/Introduction.html`,
    },
    consistency: {
      value: ['eventual', 'strong'],
      says: 'Each read chooses; global secondary indexes are eventual only.',
      source: `${docs}/HowItWorks.ReadConsistency.html`,
    },
    transactions: {
      value: 'any',
      says: 'Transactions over items of several tables in one region.',
      source: `${docs}/transactions.html`,
    },
    secondaryIndexes: {
      value: ['ordered'],
      says: 'Global and local secondary indexes with a partition and a sort key.',
      source: `${docs}/SecondaryIndexes.html`,
    },
    queries: {
      value: ['range', 'filter'],
      says: 'Ranges of sort keys in a partition, and filters over what was read.',
      source: `${docs}/SecondaryIndexes.html`,
    },
    tls: { value: true, says: 'Clients must use TLS.', source: `${docs}/network-isolation.html` },
    authentication: {
      value: ['signature', 'token'],
      says: 'Requests are signed with the keys or temporary credentials of AWS.',
      source: `${docs}/network-isolation.html`,
    },
    accessControl: {
      value: true,
      says: 'IAM policies for tables, indexes and items.',
      source: `${docs}/authentication-and-access-control.html`,
    },
    encryptionAtRest: {
      value: 'included',
      says: 'All data is encrypted.',
      source: `${docs}/EncryptionAtRest.html`,
    },
    onlineBackup: { value: true, says: 'Backups on demand.', source: `${docs}/Introduction.html` },
    pointInTimeRecovery: {
      value: 'included',
      says: 'Any moment of the last 35 days, where it is turned on.',
      source: `${docs}/Introduction.html`,
    },
    onlineScaling: {
      value: 'writes',
      says: 'Throughput is changed without downtime.',
      source: `${docs}/Introduction.html`,
    },
    license: {
      value: ['LicenseRef-AWS'],
      says: 'A service of Amazon, under its terms.',
      source: 'https://aws.amazon.com/service-terms/',
    },
    openSource: { value: false, says: 'It is a service.', source: `${docs}/Introduction.html` },
    selfHosted: {
      value: false,
      says: 'It is a service; DynamoDB Local is for tests only.',
      source: `${docs}/Introduction.html`,
    },
  },
})
