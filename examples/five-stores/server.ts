// A small web back end with users, sessions and counters. It knows nothing of stores.
import { randomUUID } from 'node:crypto'
import fastify, { type FastifyInstance } from 'fastify'
import { z } from 'zod'
import type { Data } from './data.ts'

const Named = z.object({ name: z.string() })
const Mail = z.object({ mail: z.string() })

export function server(data: Data): FastifyInstance {
  const app = fastify()
  app.post('/users', async (request, reply) => {
    const { name, mail } = Named.extend(Mail.shape).parse(request.body)
    const isNew = await data.addUser(name, { mail, since: new Date().toISOString() })
    return reply.code(isNew ? 201 : 409).send({ name })
  })
  app.get<{ Params: { name: string } }>('/users/:name', async (request, reply) => {
    return (await data.user(request.params.name)) ?? reply.code(404).send({ error: 'no such user' })
  })
  app.put<{ Params: { name: string } }>('/users/:name/mail', async (request, reply) => {
    const isThere = await data.changeMail(request.params.name, Mail.parse(request.body).mail)
    return reply.code(isThere ? 204 : 404).send()
  })
  app.post('/sessions', async (request, reply) => {
    const { name } = Named.parse(request.body)
    if ((await data.user(name)) === undefined) return reply.code(401).send({ error: 'no such user' })
    const id = randomUUID()
    await data.startSession(id, name)
    return reply.code(201).send({ id })
  })
  app.get<{ Params: { id: string } }>('/sessions/:id', async (request, reply) => {
    const name = await data.session(request.params.id)
    return name === undefined ? reply.code(404).send({ error: 'no such session' }) : { name }
  })
  app.delete<{ Params: { id: string } }>('/sessions/:id', async (request, reply) => {
    await data.endSession(request.params.id)
    return reply.code(204).send()
  })
  app.post<{ Params: { page: string } }>('/visits/:page', async (request) => {
    return { visits: await data.countVisit(request.params.page) }
  })
  app.get('/visits', () => data.visits())
  app.addHook('onClose', () => data.close())
  return app
}
