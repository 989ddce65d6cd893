// Pages over HTTP: each answer has items and a cursor, and the client sends the cursor back until there is none.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { isStoreError, json, keyValue, type ScanPage } from '@unikv/core'
import { memory } from '@unikv/core/memory'

const users = keyValue(memory(), [json<{ name: string }>()])
await users.setMany(Array.from({ length: 50 }, (_, i) => [`user ${i}`, { name: `Ada ${i}` }]))

async function pageOf(cursor: string | undefined): Promise<ScanPage<string>> {
  for await (const page of users.keys({ pageSize: 20, cursor }).pages()) return page
  return { items: [], cursor: undefined }
}

const server = createServer((request, response) => {
  const cursor = new URL(request.url ?? '/', 'http://localhost').searchParams.get('cursor') ?? undefined
  const send = (status: number, body: object) => response.writeHead(status).end(JSON.stringify(body))
  pageOf(cursor).then(
    (page) => send(200, page),
    (error: unknown) =>
      isStoreError(error) && error.code === 'INVALID_ARGUMENT'
        ? send(400, { code: error.code })
        : send(500, {}),
  )
})
server.listen(0, '127.0.0.1')
await once(server, 'listening')
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

const found: string[] = []
let cursor: string | undefined
do {
  const query = cursor === undefined ? '' : `?cursor=${cursor}`
  const page = (await (await fetch(`${url}/users${query}`)).json()) as ScanPage<string>
  found.push(...page.items)
  cursor = page.cursor
} while (cursor !== undefined)
console.log('users:', found.length)
assert.equal(new Set(found).size, 50)
assert.equal((await fetch(`${url}/users?cursor=x`)).status, 400)

server.closeAllConnections()
server.close()
await users.close()
