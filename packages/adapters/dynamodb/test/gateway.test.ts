import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { isStoreError, keyValue } from '@unikv/core'
import { resultsOf } from '@unikv/test-kit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { dynamodb } from '../src/index.ts'

/** What stands before DynamoDB answers to all but the look at the table. */
interface Said {
  readonly status: number
  readonly body: string
}

const value = Buffer.from('value')
const broken = 'upstream connect error or disconnect/reset before headers'
const table = JSON.stringify({
  Table: {
    TableStatus: 'ACTIVE',
    KeySchema: [{ AttributeName: 'k', KeyType: 'HASH' }],
    AttributeDefinitions: [{ AttributeName: 'k', AttributeType: 'B' }],
  },
})
const credentials = { accessKeyId: 'key', secretAccessKey: 'secret' }
let answer: Said
const server = createServer((request, response) => {
  const isLook = String(request.headers['x-amz-target']).endsWith('.DescribeTable')
  const { status, body } = isLook ? { status: 200, body: table } : answer
  request.resume().once('end', () => response.writeHead(status).end(body))
})
let endpoint: string

beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  server.close()
})

const opened = () => keyValue(dynamodb({ endpoint, credentials }))

async function outcome(said: Said, run: (kv: ReturnType<typeof opened>) => Promise<unknown>) {
  answer = said
  await using kv = opened()
  return await run(kv).catch((error: unknown) => (isStoreError(error) ? error.code : error))
}

test.each([broken, '', '{"message":"no healthy upstream"}'])(
  '503 of a gateway (%j): a write may have gone through, a read may be asked again',
  async (body) => {
    const said = { status: 503, body }
    expect(await outcome(said, (kv) => kv.set('key', value))).toBe('OUTCOME_UNKNOWN')
    expect(await outcome(said, (kv) => kv.delete('key'))).toBe('OUTCOME_UNKNOWN')
    const both = await outcome(said, (kv) => resultsOf(kv.deleteMany(['one', 'two'])))
    expect(both).toMatchObject([{ code: 'OUTCOME_UNKNOWN' }, { code: 'OUTCOME_UNKNOWN' }])
    expect(await outcome(said, (kv) => kv.get('key'))).toBe('OVERLOADED')
  },
)

test.each<[Said, string]>([
  [{ status: 503, body: '{"__type":"ServiceUnavailable"}' }, 'OVERLOADED'],
  [{ status: 400, body: '{"__type":"ThrottlingException"}' }, 'OVERLOADED'],
  [{ status: 429, body: broken }, 'OVERLOADED'],
])('%j to a write changed nothing: %s', async (said, told) => {
  expect(await outcome(said, (kv) => kv.set('key', value))).toBe(told)
})
