import type { IncomingMessage, ServerResponse } from 'node:http'
import { invalidConfig } from '@unikv/core/adapter'
import type { HttpServer } from '../server/gate.ts'
import { nodeListener } from './listener.ts'

/** The part of Fastify that a mount needs. */
export interface FastifyScope {
  readonly prefix: string
  /** Forget the parsers of this scope. */
  removeAllContentTypeParsers(): void
  /** Hear of bodies of a type. */
  addContentTypeParser(
    type: '*',
    parser: (request: unknown, body: unknown, done: (error: Error | null) => void) => void,
  ): unknown
  /** Answer requests of every method below a path. */
  all(
    path: string,
    handler: (
      request: { raw: IncomingMessage },
      reply: { raw: ServerResponse; hijack(): unknown },
    ) => unknown,
  ): unknown
}

/**
 * A plugin of Fastify that mounts a server below a prefix: `app.register(fastifyPlugin(server), { prefix: '/store' })`. Parsers of
 * bodies of the application do not see its requests.
 */
export function fastifyPlugin(server: HttpServer): (scope: FastifyScope) => Promise<void> {
  const listener = nodeListener(server)
  return async (scope) => {
    const { prefix } = scope
    if (/[:*]/.test(prefix))
      throw invalidConfig(`A server is mounted below a fixed prefix such as /store, and not below ${prefix}.`)
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', (_request, _body, done) => done(null))
    for (const path of ['/', '/*'])
      scope.all(path, ({ raw }, reply) => {
        reply.hijack()
        raw.url = below(prefix, raw.url ?? '/')
        return listener(raw, reply.raw)
      })
  }
}

/** The rest of an address, as frameworks that mount by themselves give it. */
function below(prefix: string, url: string): string {
  const rest = url.slice(prefix.length)
  return rest.startsWith('/') ? rest : `/${rest}`
}
