// A web back end: sessions in Redis where UNIKV_TEST_REDIS_URL names one, else in memory; objects cached in front, and
// every call counted.
import assert from 'node:assert/strict'
import { cache } from '@unikv/cache'
import { isStoreError, json, keyValue } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { monitor } from '@unikv/monitor'
import { redis } from '@unikv/redis'
import fastify from 'fastify'
import { z } from 'zod'

const Session = z.object({ user: z.string(), visits: z.number() })
const url = process.env['UNIKV_TEST_REDIS_URL']
const store = url === undefined ? memory() : redis({ url, dataset: `example_${process.pid}` })
const calls = monitor()
const layers = [calls, cache({ maxEntries: 10_000, freshForMs: 5_000 }), json(Session)] as const
const sessions = keyValue(store, layers, { timeoutMs: 2_000 })

const app = fastify()

app.get<{ Params: { id: string } }>('/sessions/:id', async (request, reply) => {
  const session = await sessions.get(request.params.id)
  return session ?? reply.code(404).send({ error: 'no such session' })
})

app.put<{ Params: { id: string } }>('/sessions/:id', async (request, reply) => {
  const session = Session.safeParse(request.body)
  if (!session.success) return reply.code(400).send({ error: 'no session' })
  const { version } = await sessions.set(request.params.id, session.data, { ttlMs: 1_800_000 })
  return reply.header('etag', version).send(session.data)
})

app.post<{ Params: { id: string } }>('/sessions/:id/visits', async (request) =>
  sessions.update(request.params.id, (session) => session && { ...session, visits: session.visits + 1 }),
)

// Errors of the store become HTTP statuses; every call has settled within two seconds.
app.setErrorHandler(async (error, _request, reply) => {
  if (isStoreError(error) && error.retryable) return reply.code(503).send({ error: 'try again' })
  return reply.code(500).send({ error: 'failed' })
})

app.addHook('onClose', () => sessions.close())

const path = '/sessions/s1'
const put = await app.inject({ method: 'PUT', url: path, payload: { user: 'ada', visits: 0 } })
assert.equal(put.statusCode, 200)
await Promise.all(Array.from({ length: 8 }, () => app.inject({ method: 'POST', url: `${path}/visits` })))
const answers = await Promise.all(Array.from({ length: 64 }, () => app.inject({ url: path })))
for (const answer of answers) assert.deepEqual(answer.json(), { user: 'ada', visits: 8 })
assert.equal((await app.inject({ url: '/sessions/unknown' })).statusCode, 404)
assert.equal((await app.inject({ method: 'PUT', url: path, payload: { user: 1 } })).statusCode, 400)

const { read, set } = calls.snapshot().stores[sessions.name] ?? {}
console.log(
  `${sessions.name}: ${read?.items} reads, hit rate ${read?.hitRate.toFixed(2)}; ${set?.items} writes`,
)
assert.ok(set !== undefined && set.items >= 9)
await sessions.clear({ all: true })
await app.close()
