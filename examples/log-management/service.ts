// Log management as a service, for many tenants: collectors send logs, and people ask what happened. It knows nothing of stores.
import fastify, { type FastifyInstance, type FastifyRequest } from 'fastify'
import { z } from 'zod'
import { levels, suspects, traceOf } from './analyses.ts'
import { Log, type Logs } from './log.ts'

const time = z.iso.datetime({ precision: 3 })
const Span = z.object({ from: time, to: time })

/** @param tokens the tenant of each token */
export function service(logs: Logs, tokens: Readonly<Record<string, string>>): FastifyInstance {
  const app = fastify()
  const tenants = new WeakMap<FastifyRequest, string>()
  app.addHook('onRequest', async (request, reply) => {
    const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? ''
    if (!Object.hasOwn(tokens, token)) return reply.code(401).send({ error: 'no such tenant' })
    tenants.set(request, tokens[token] as string)
  })
  const tenantOf = (request: FastifyRequest): string => tenants.get(request) as string
  app.setErrorHandler((error, _, reply) =>
    error instanceof z.ZodError
      ? reply.code(400).send({ error: z.prettifyError(error) })
      : reply.code(500).send({ error: 'the service failed' }),
  )
  app.post('/logs', async (request, reply) => {
    const sent = z.array(Log).max(10_000).parse(request.body)
    await logs.add(tenantOf(request), sent)
    return reply.code(201).send({ stored: sent.length })
  })
  app.get<{ Params: { id: string } }>('/logs/:id', async (request, reply) => {
    const log = await logs.log(tenantOf(request), request.params.id)
    return log ?? reply.code(404).send({ error: 'no such log' })
  })
  app.put<{ Params: { id: string } }>('/logs/:id', async (request, reply) => {
    const log = Log.parse({ ...(request.body as object), id: request.params.id })
    return reply.code((await logs.correct(tenantOf(request), log)) ? 204 : 404).send()
  })
  app.delete<{ Params: { id: string } }>('/logs/:id', async (request, reply) => {
    return reply.code((await logs.remove(tenantOf(request), request.params.id)) ? 204 : 404).send()
  })
  app.get('/suspects', async (request) => {
    const { from, to } = Span.parse(request.query)
    return suspects(logs, tenantOf(request), from, to)
  })
  app.get<{ Params: { address: string } }>('/addresses/:address', async (request) => {
    const { from, to } = Span.parse(request.query)
    return traceOf(logs, tenantOf(request), request.params.address, from, to)
  })
  app.get('/levels', async (request) => {
    const { from, to } = Span.parse(request.query)
    return levels(logs, tenantOf(request), from, to)
  })
  app.addHook('onClose', () => logs.close())
  return app
}
