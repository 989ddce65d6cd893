import 'reflect-metadata'
import { createServer, type Server } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { Controller, Get, Module } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { fastifyPlugin, nodeListener } from '@unikv/http/node'
import fastify from 'fastify'
import { Hono } from 'hono'
import { expect, onTestFinished, test } from 'vitest'
import { checkMounts, mounted } from './mounts.ts'

// The mounts of the guide: a page and stores in an application that has a page of its own. Next.js is in tests/outside.

const require = createRequire(import.meta.url)
// oxlint-disable-next-line no-explicit-any -- it has no types of its own
type Untyped = any
const express: Untyped = require('express')

async function urlOf(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1')
  await new Promise((listening) => server.once('listening', listening))
  endsWithTest(server, () => new Promise((closed) => server.close(closed)))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Clients keep connections, and open some that they never use. */
function endsWithTest(server: Server, close: () => Promise<unknown>): void {
  onTestFinished(async () => {
    server.closeAllConnections()
    await close()
  })
}

/** Express with both mounts. */
async function inExpress(...before: readonly Untyped[]) {
  const { page, stores } = await mounted()
  const app = express()
  for (const one of before) app.use(one)
  app.use('/admin/unikv', nodeListener(page))
  app.use('/stores', nodeListener(stores))
  app.use(express.json())
  app.get('/own', (_request: Untyped, response: Untyped) => void response.send('a page'))
  return { url: await urlOf(createServer(app)), page }
}

test('in Express', async () => {
  const { url, page } = await inExpress()
  await checkMounts(url, page)
})

test('in Fastify', async () => {
  const { page, stores } = await mounted()
  const app = fastify()
  app.register(fastifyPlugin(page), { prefix: '/admin/unikv' })
  app.register(fastifyPlugin(stores), { prefix: '/stores' })
  app.get('/own', async () => 'a page')
  endsWithTest(app.server, () => app.close())
  await checkMounts(await app.listen({ port: 0, host: '127.0.0.1' }), page)
})

test('in Hono', async () => {
  const { page, stores } = await mounted()
  const app = new Hono()
  app.mount('/admin/unikv', page.fetch)
  app.mount('/stores', stores.fetch)
  app.get('/own', (context) => context.text('a page'))
  await checkMounts(await urlOf(createServer(getRequestListener(app.fetch))), page)
})

test('in NestJS, beside its own prefix and parsers', async () => {
  const { page, stores } = await mounted()
  class Own {
    own(): string {
      return 'a page'
    }
  }
  Get()(Own.prototype, 'own', Object.getOwnPropertyDescriptor(Own.prototype, 'own') as PropertyDescriptor)
  Controller('own')(Own)
  class Application {}
  Module({ controllers: [Own] })(Application)
  const app = await NestFactory.create(Application, { logger: ['error'] })
  app.setGlobalPrefix('api', { exclude: ['own'] })
  app.use('/admin/unikv', nodeListener(page))
  app.use('/stores', nodeListener(stores))
  await app.listen(0, '127.0.0.1')
  endsWithTest(app.getHttpServer(), () => app.close())
  await checkMounts(await app.getUrl(), page)
})

const put = {
  method: 'PUT',
  headers: { authorization: 'Bearer a-token-of-the-tests', 'content-type': 'application/json' },
}

test('behind a parser of bodies every change is refused, and no empty value is stored', async () => {
  const url = `${(await inExpress(express.json())).url}/stores/v1/stores/users/records/ada`
  const refused = await fetch(url, { ...put, body: '{"name":"Ada"}' })
  expect([refused.status, await refused.json()]).toMatchObject([500, { code: 'INVALID_CONFIG' }])
  expect((await fetch(url, { headers: put.headers })).status).toBe(404)
})

test.each([
  [
    'rawBody',
    express.json({ verify: (request: Untyped, _: Untyped, bytes: Buffer) => void (request.rawBody = bytes) }),
  ],
  ['body', express.raw({ type: '*/*' })],
])('behind one that keeps the bytes in %s they are taken', async (_, parser) => {
  const url = `${(await inExpress(parser)).url}/stores/v1/stores/users/records/ada`
  expect((await fetch(url, { ...put, body: '{ "name": "Ada" }' })).status).toBe(204)
  expect(await (await fetch(url, { headers: put.headers })).json()).toEqual({ name: 'Ada' })
})

test('a prefix with a parameter is refused by Fastify', async () => {
  const { stores } = await mounted()
  const app = fastify()
  app.register(fastifyPlugin(stores), { prefix: '/:tenant/stores' })
  await expect(app.ready()).rejects.toMatchObject({ code: 'INVALID_CONFIG' })
})
