import {
  BatchGetItemCommand,
  BatchWriteItemCommand,
  DeleteItemCommand,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
} from '@aws-sdk/client-dynamodb'
import { keyValue, newVersion } from '@unikv/core'
import { dynamodb } from '@unikv/dynamodb'
import { type Client, type Entrants, ofKeyValue } from '../measure/entrants.ts'
import { accountOf } from './aws-account.ts'

const table = 'unikv_overhead'
/** Items that one BatchWriteItem takes. */
const most = 25

/** The AWS SDK, with its commands for many items, on the table of the store; reads are consistent as those of the store are. */
export const overDynamodb: Entrants = {
  server: 'dynamodb',
  unikv: async (url) => ofKeyValue(keyValue(dynamodb({ ...accountOf(url), table, prepare: true }))),
  native: nativeDynamodb,
}

async function nativeDynamodb(url: string): Promise<Client> {
  const client = new DynamoDBClient({ ...accountOf(url), region: 'us-east-1', maxAttempts: 1 })
  const keyOf = (key: string) => ({ k: { B: Buffer.from(`native ${key}`) } })
  const itemOf = (key: string, value: Buffer) => ({
    ...keyOf(key),
    version: { B: Buffer.from(newVersion(), 'hex') },
    value: { B: value },
  })
  const insertPart = (part: readonly (readonly [string, Buffer])[]) => {
    const requests = part.map(([key, value]) => ({ PutRequest: { Item: itemOf(key, value) } }))
    return client.send(new BatchWriteItemCommand({ RequestItems: { [table]: requests } }))
  }
  return {
    insert: (key: string, value: Buffer) =>
      client.send(new PutItemCommand({ TableName: table, Item: itemOf(key, value) })),
    read: (key: string) =>
      client.send(new GetItemCommand({ TableName: table, Key: keyOf(key), ConsistentRead: true })),
    delete: (key: string) => client.send(new DeleteItemCommand({ TableName: table, Key: keyOf(key) })),
    readMany: (keys: readonly string[]) =>
      client.send(
        new BatchGetItemCommand({
          RequestItems: { [table]: { Keys: keys.map(keyOf), ConsistentRead: true } },
        }),
      ),
    insertMany: (entries: readonly (readonly [string, Buffer])[]) =>
      Promise.all([insertPart(entries.slice(0, most)), insertPart(entries.slice(most))]),
    close: async () => client.destroy(),
  }
}
