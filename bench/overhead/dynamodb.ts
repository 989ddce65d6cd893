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
import { startServer } from '@unikv/test-kit'
import { type Entrants, ofKeyValue } from '../measure/overhead.ts'

const table = 'unikv_overhead'
/** Items that one BatchWriteItem takes. */
const most = 25

/** The AWS SDK, with its commands for many items, on the table of the store; reads are consistent as those of the store are. */
export async function overDynamodb(): Promise<Entrants> {
  const server = await startServer('dynamodb')
  const { origin, username, password } = new URL(server.url)
  const at = { endpoint: origin, credentials: { accessKeyId: username, secretAccessKey: password } }
  const kv = keyValue(dynamodb({ ...at, table, prepare: true }))
  await kv.has('ready')
  const client = new DynamoDBClient({ ...at, region: 'us-east-1', maxAttempts: 1 })
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
  const native = {
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
  }
  const close = async (): Promise<void> => {
    client.destroy()
    await kv.close()
    await server.stop()
  }
  return { native, unikv: ofKeyValue(kv), close }
}
