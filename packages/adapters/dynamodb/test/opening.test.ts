import {
  CreateTableCommand,
  DescribeTimeToLiveCommand,
  DynamoDBClient,
  ListTablesCommand,
} from '@aws-sdk/client-dynamodb'
import { opening, plantedSecret as secret } from '@unikv/conformance'
import { isStoreError, keyValue, type StoreError } from '@unikv/core'
import { describeWith, testAwsClients } from '@unikv/test-kit/vitest'
import { afterAll, describe, expect, expectTypeOf, test } from 'vitest'
import { type DynamodbNative, type DynamodbOptions, dynamodb, prepareDynamodb } from '../src/index.ts'
import { clientFor, dropTable, freshTable, optionsFor, putForeign } from './dynamodb-bench.ts'

const value = Buffer.from('value')
const credentials = { accessKeyId: 'key', secretAccessKey: secret }

async function failureOf(run: () => Promise<unknown>): Promise<StoreError> {
  const error = await run().then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (!isStoreError(error)) throw new Error(`no StoreError: ${String(error)}`)
  return error
}

const client = {} as DynamoDBClient
const refused: readonly (readonly [string, object])[] = [
  ['a table of two characters', { table: 'ab' }],
  ['a table of 256 characters', { table: 'a'.repeat(256) }],
  ['a quoted table', { table: 'a"b' }],
  ['a table with a path', { table: 'a/b' }],
  ['an ARN', { table: 'arn:aws:dynamodb:eu-west-1:1:table/a' }],
  ['an endpoint that is not a URL', { endpoint: `127.0.0.1/${secret}` }],
  ['an endpoint with a user', { endpoint: `http://key:${secret}@127.0.0.1` }],
  ['credentials without a secret', { credentials: { ...credentials, secretAccessKey: '' } }],
  ['values of another kind', { values: 'raw' as never }],
  ['no connections', { maxConnections: 0 }],
  ['no queue', { queueLimit: 0.5 }],
  ['a region beside a client', { client, region: 'eu-west-1' }],
  ['credentials beside a client', { client, credentials }],
]

describe('options', () => {
  test('capabilities and the native client follow the options', () => {
    const plain = dynamodb({})
    expectTypeOf(plain.capabilities.documents).toEqualTypeOf<false>()
    expectTypeOf(plain.capabilities.increment).toEqualTypeOf<true>()
    expectTypeOf(plain.native).toEqualTypeOf<DynamodbNative>()
    const other = dynamodb({ values: 'document', client: {} as DynamoDBClient })
    expectTypeOf(other.capabilities.documents).toEqualTypeOf<true>()
    expectTypeOf(other.native).toEqualTypeOf<DynamoDBClient>()
    expect([plain.capabilities.increment, other.capabilities.increment]).toEqual([true, false])
  })
})

describe('clients of the SDK', () => {
  testAwsClients({
    client: (config) => new DynamoDBClient(config),
    open: (options) => dynamodb({ table: 'table', ...options }),
  })
})

describeWith('dynamodb', (url) => {
  const client = clientFor(url)
  const tables: string[] = []
  afterAll(async () => {
    for (const table of tables) await dropTable(client, table)
    client.destroy()
  })

  function newTable(): string {
    const table = freshTable()
    tables.push(table)
    return table
  }

  const asked = (endpoint: string): DynamodbOptions => ({ ...optionsFor(url), endpoint, table: shared })
  const shared = newTable()

  opening<DynamodbOptions>({
    test,
    describe,
    make: (options) => dynamodb(options),
    refused,
    fresh: () => ({ ...optionsFor(url), table: newTable() }),
    server: {
      address: new URL(url).host,
      at: (address, password) => ({
        ...asked(`http://${address}`),
        ...(password === undefined ? {} : { credentials: { accessKeyId: 'key', secretAccessKey: password } }),
      }),
      withTls: (address) => asked(`https://${address}`),
    },
    preparing: {
      prepare: prepareDynamodb,
      missing: () => ({ ...optionsFor(url), table: newTable(), prepare: false }),
      onCall: (options) => ({ ...options, prepare: true }),
      remove: ({ table = '' }) => dropTable(client, table),
    },
    module: {
      url: new URL('../dist/index.js', import.meta.url),
      make: 'dynamodb',
      prepare: 'prepareDynamodb',
      drivers: ['@aws-sdk/client-dynamodb'],
    },
    client: async () => {
      const given = clientFor(url)
      const table = newTable()
      await prepareDynamodb({ ...optionsFor(url), table })
      return {
        client: given,
        options: { table, client: given },
        works: () => given.send(new ListTablesCommand({ Limit: 1 })),
        close: () => given.destroy(),
      }
    },
  })

  test('prepareDynamodb has the table remove records that expired', async () => {
    const options = { ...optionsFor(url), table: newTable(), prepare: false }
    await prepareDynamodb(options)
    await using kv = keyValue(dynamodb(options))
    await kv.set('key', value)
    const { TimeToLiveDescription } = await client.send(
      new DescribeTimeToLiveCommand({ TableName: options.table }),
    )
    expect(TimeToLiveDescription?.AttributeName).toBe('ttl')
    expect(TimeToLiveDescription?.TimeToLiveStatus).toMatch(/^ENABL/)
  })

  test.each([
    ['another key', [['id', 'B', 'HASH']]],
    ['a text for a key', [['k', 'S', 'HASH']]],
    [
      'a second key',
      [
        ['k', 'B', 'HASH'],
        ['at', 'N', 'RANGE'],
      ],
    ],
  ] as const)('a table with %s is not ours', async (_, keys) => {
    const table = newTable()
    await client.send(
      new CreateTableCommand({
        TableName: table,
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions: keys.map(([AttributeName, AttributeType]) => ({
          AttributeName,
          AttributeType,
        })),
        KeySchema: keys.map(([AttributeName, , KeyType]) => ({ AttributeName, KeyType })),
      }),
    )
    for (const prepare of [true, false]) {
      await using kv = keyValue(dynamodb({ ...optionsFor(url), table, prepare }))
      const error = await failureOf(() => kv.get('key'))
      expect(error.code).toBe('INVALID_CONFIG')
      expect(error.message).toContain(table)
    }
  })

  test('a condition that does not hold tells the version that is there', async () => {
    const table = newTable()
    await using kv = keyValue(dynamodb({ ...optionsFor(url), table }))
    const { version } = await kv.set('key', value, { ifVersion: null })
    await kv.set('key', value, { ifVersion: version })
    const error = await failureOf(() => kv.set('key', value, { ifVersion: version }))
    expect(error.version).toBe((await kv.getEntry('key'))?.version)
  })

  test('items of others are not listed, not cleared, and CORRUPT for readers', async () => {
    const table = newTable()
    await using kv = keyValue(dynamodb({ ...optionsFor(url), table }))
    await kv.set('mine', value)
    await putForeign(client, table, 'foreign')
    const listed: string[] = []
    for await (const key of kv.keys()) listed.push(key)
    expect(listed).toEqual(['mine'])
    expect((await failureOf(() => kv.get('foreign'))).code).toBe('CORRUPT')
    expect(await kv.clear({ all: true })).toBe(1)
    expect((await failureOf(() => kv.get('foreign'))).code).toBe('CORRUPT')
  })

  test('what was written with the other kind of values is CORRUPT, not something else', async () => {
    const table = newTable()
    await using bytes = keyValue(dynamodb({ ...optionsFor(url), table }))
    await using documents = keyValue(dynamodb({ ...optionsFor(url), table, values: 'document' }))
    await bytes.set('bytes', value)
    await documents.set('document', { n: 1 })
    expect((await failureOf(() => bytes.get('document'))).code).toBe('CORRUPT')
    expect((await failureOf(() => documents.get('bytes'))).code).toBe('CORRUPT')
  })
})
