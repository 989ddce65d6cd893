import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { keyValue } from '@unikv/core'
import { expect, test } from 'vitest'
import { s3 } from '../src/index.ts'

const credentials = { accessKeyId: 'key', secretAccessKey: 'secret' }

test('requests name unikv, and carry what is signed and no more', async () => {
  const asked: IncomingHttpHeaders[] = []
  const server = createServer((request, response) => {
    asked.push(request.headers)
    response.writeHead(500).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const kv = keyValue(s3({ bucket: 'bucket', endpoint: url, credentials }))
  await expect(kv.has('key')).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  await kv.close()
  server.close()

  const [headers] = asked as [IncomingHttpHeaders]
  expect(headers['user-agent']).toBe('unikv')
  const signed = /SignedHeaders=([^,]+)/.exec(String(headers.authorization))?.[1]?.split(';') ?? []
  const unsigned = ['authorization', 'connection', 'user-agent']
  expect(Object.keys(headers).toSorted()).toEqual([...signed, ...unsigned].toSorted())
  expect(signed).toEqual(expect.arrayContaining(['host', 'x-amz-date', 'x-amz-content-sha256']))
  expect(signed.filter((name) => /^amz-sdk|user-agent|checksum/.test(name))).toEqual([])
})
