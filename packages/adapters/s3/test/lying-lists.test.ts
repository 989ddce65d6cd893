import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { isStoreError, keyValue } from '@unikv/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { s3 } from '../src/index.ts'

/** What the server answers to every list. */
let body = ''
let lists = 0
const server = createServer((request, response) => {
  if (request.url?.includes('list-type=2')) lists++
  request.resume().once('end', () => response.writeHead(200, { 'content-type': 'application/xml' }).end(body))
})
let endpoint = ''

beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  server.close()
  server.closeAllConnections()
})

function listOf(names: readonly string[], isTruncated: boolean): string {
  const contents = names.map((name) => `<Contents><Key>${name}</Key><Size>500</Size></Contents>`).join('')
  return `<?xml version="1.0"?><ListBucketResult><Name>bucket</Name><KeyCount>${names.length}</KeyCount><IsTruncated>${isTruncated}</IsTruncated>${contents}</ListBucketResult>`
}

const lies = [
  ['the same page again and again', listOf(['unikv/!02a', 'unikv/!02b'], true), 'CORRUPT'],
  ['a page that is cut, and holds nothing', listOf([], true), 'CORRUPT'],
  ['names out of order', listOf(['unikv/!02b', 'unikv/!02a'], false), 'CORRUPT'],
  ['a name twice', listOf(['unikv/!02a', 'unikv/!02a'], false), 'CORRUPT'],
  ['names of somebody else', listOf(['other/!02a'], false), 'UNAVAILABLE'],
  ['nothing at all', '', 'UNAVAILABLE'],
] as const

describe.each(lies)('a server that answers a list with %s', (_, answer, code) => {
  test.each(['count', 'clear'] as const)(`ends %s with ${code}, after few requests`, async (operation) => {
    body = answer
    lists = 0
    const credentials = { accessKeyId: 'key', secretAccessKey: 'secret' }
    await using kv = keyValue(s3({ bucket: 'bucket', endpoint, credentials, region: 'eu-west-1' }))
    const run = (): Promise<number> => (operation === 'count' ? kv.count() : kv.clear({ prefix: 'a' }))
    const error: unknown = await run().catch((thrown: unknown) => thrown)
    expect(isStoreError(error) && error.code).toBe(code)
    expect(lists).toBeLessThan(10)
  })
})
