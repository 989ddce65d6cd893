import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { json, keyValue } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { http } from '@unikv/http'
import { nodeListener } from '@unikv/http/node'
import { httpStore } from '@unikv/http/store'
import fastify from 'fastify'
import { expect, test } from 'vitest'

// The mounts of the guide: a server in an application that has pages of its own.

const require = createRequire(import.meta.url)
// oxlint-disable-next-line no-explicit-any -- it has no types of its own
type Untyped = any
const express: Untyped = require('express')
const token = 'a-token-of-the-tests'

function serverAt(basePath: string) {
  const users = keyValue(memory(), [json<unknown>()])
  return http({ users }, { tokens: [{ name: 'tests', token, may: 'write' }], basePath })
}

/** Use it as a store, with values that a parser of bodies would take. */
async function used(url: string): Promise<void> {
  const far = keyValue(httpStore({ url: `${url}/stores/users`, token }), [json<object>()])
  await far.set('ada', { name: 'Ada' })
  await far.setMany([
    ['bob', { name: 'Bob' }],
    ['x/../y', { name: 'ä' }],
  ])
  expect(await far.getMany(['ada', 'bob', 'x/../y'])).toEqual([
    { name: 'Ada' },
    { name: 'Bob' },
    { name: 'ä' },
  ])
  await far.close()
  const own = `${url}/stores/v1/stores/users/records/eve`
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const put = await fetch(own, { method: 'PUT', headers, body: '{"name":"Eve"}' })
  expect(put.status).toBe(204)
  expect(await (await fetch(own, { headers })).json()).toEqual({ name: 'Eve' })
  expect((await fetch(own)).status).toBe(401)
  expect(await (await fetch(`${url}/own`)).text()).toBe('a page')
}

test('in Express', async () => {
  const app = express()
  app.get('/own', (_request: Untyped, response: Untyped) => void response.send('a page'))
  app.use(nodeListener(serverAt('/stores')))
  const server = createServer(app).listen(0, '127.0.0.1')
  await new Promise((listening) => server.once('listening', listening))
  await used(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  server.closeAllConnections()
  await new Promise((closed) => server.close(closed))
})

/** Fastify with a page of its own, and the server as the guide mounts it. */
function inFastify() {
  const app = fastify()
  app.get('/own', async () => 'a page')
  const listener = nodeListener(serverAt('/stores'))
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', (_request, _body, done) => done(null))
    scope.all('/stores/*', (request, reply) => {
      reply.hijack()
      return listener(request.raw, reply.raw)
    })
  })
  return app
}

test('in Fastify', async () => {
  const app = inFastify()
  await used(await app.listen({ port: 0, host: '127.0.0.1' }))
  await app.close()
})

test('behind a parser of bodies every change is refused, and no empty value is stored', async () => {
  const app = express()
  app.use(express.json())
  app.use(nodeListener(serverAt('/stores')))
  const server = createServer(app).listen(0, '127.0.0.1')
  await new Promise((listening) => server.once('listening', listening))
  const { port } = server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}/stores/v1/stores/users/records/ada`
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const put = await fetch(url, { method: 'PUT', headers, body: '{"name":"Ada"}' })
  expect([put.status, await put.json()]).toMatchObject([500, { code: 'INVALID_CONFIG' }])
  expect((await fetch(url, { headers })).status).toBe(404)
  server.closeAllConnections()
  await new Promise((closed) => server.close(closed))
})
