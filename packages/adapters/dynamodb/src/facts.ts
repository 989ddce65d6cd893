import type { StoreFacts } from '@unikv/core/adapter'
import { dynamodb } from './dynamodb.ts'

/** Facts about DynamoDB, for engineers who choose a store. */
export const dynamodbFacts: StoreFacts = {
  name: 'dynamodb',
  title: 'Amazon DynamoDB',
  adapter: '@unikv/dynamodb',
  drivers: ['@aws-sdk/client-dynamodb'],
  urls: ['dynamodb://table?region=eu-central-1'],
  variants: [
    { options: '', capabilities: dynamodb({}).capabilities },
    { options: "values: 'document'", capabilities: dynamodb({ values: 'document' }).capabilities },
  ],
  costs: {
    read: '1 GetItem: 1 read unit a 4 KB, half of it when eventual',
    readMany: '1 BatchGetItem for up to 100 keys',
    set: '1 PutItem: 1 write unit a KB',
    setMany: '1 BatchWriteItem for up to 25 items',
    conditionalSet: '1 PutItem with a condition',
    delete: '1 DeleteItem',
    scanPage: '1 Scan: pays for what it reads, not for what it returns',
  },
  consistency: { strong: 'ConsistentRead', eventual: 'any replica, at half the price' },
  sources: [
    'https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/ServiceQuotas.html',
    'https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/HowItWorks.ReadConsistency.html',
  ],
  testedOn: 'DynamoDB Local 2.6, Amazon’s own server for tests',
  notes: [
    'Items of at most 400 KB, with their names.',
    'Expiry goes by the clock of the client; DynamoDB removes expired items within days.',
  ],
}
