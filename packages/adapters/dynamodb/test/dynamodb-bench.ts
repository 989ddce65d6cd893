import { DeleteTableCommand, DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb'
import type { DynamodbOptions } from '../src/index.ts'

let tables = 0

/** Options for the server of a URL that holds its access key. */
export function optionsFor(url: string) {
  const { origin, username, password } = new URL(url)
  return {
    endpoint: origin,
    credentials: { accessKeyId: username, secretAccessKey: password },
    prepare: true,
  } as const satisfies DynamodbOptions
}

/** A client of the test's own. */
export function clientFor(url: string, maxAttempts = 1): DynamoDBClient {
  process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] = 'true'
  const { endpoint, credentials } = optionsFor(url)
  return new DynamoDBClient({ endpoint, credentials, region: 'us-east-1', maxAttempts })
}

/** A table that nobody else uses. */
export function freshTable(): string {
  return `test_${process.pid}_${Date.now().toString(36)}_${tables++}`
}

/** Remove a table of ours, if it was made. */
export async function dropTable(client: DynamoDBClient, table: string): Promise<void> {
  await client.send(new DeleteTableCommand({ TableName: table })).catch((error: Error) => {
    if (error.name !== 'ResourceNotFoundException') throw error
  })
}

/** An item that no store of ours wrote. */
export async function putForeign(client: DynamoDBClient, table: string, key: string): Promise<void> {
  const item = { k: { B: Buffer.from(key) }, value: { B: Buffer.from('no record at all') } }
  await client.send(new PutItemCommand({ TableName: table, Item: item }))
}
