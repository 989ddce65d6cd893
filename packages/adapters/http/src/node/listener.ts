import type { IncomingMessage, ServerResponse } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { flag, type OptionsOf, StoreError } from '@unikv/core/adapter'
import type { HttpServer } from '../server/gate.ts'
import { answerTo } from '../server/refused.ts'

/** The options of a listener. */
export const listenerTable = {
  /** Put the quicker `Request` and `Response` of hono in the place of the global ones: for processes that do nothing else. @default false */
  replaceGlobals: flag(false),
}

/** How requests are handed over. */
export interface ListenerOptions extends OptionsOf<typeof listenerTable> {}

/** A listener for `http.createServer`, and for what is built on it. */
export type NodeListener = (request: IncomingMessage, response: ServerResponse) => Promise<void>

/**
 * A listener for `http.createServer`, and for `app.use` of Express and NestJS. It must come before what parses bodies: a request whose
 * body was read is refused, as its value would be taken for an empty one, unless its bytes are kept in `rawBody` or `body`.
 */
export function nodeListener(
  server: HttpServer,
  { replaceGlobals = false }: ListenerOptions = {},
): NodeListener {
  const options = { overrideGlobalObjects: replaceGlobals }
  const listener = getRequestListener(server.fetch, options)
  const refuse = getRequestListener(refusal, options)
  return (request, response) => (isLost(request) ? refuse : listener)(request, response)
}

/** Whether somebody has taken the body of a request, and kept no bytes of it where the listener finds them. */
function isLost(request: IncomingMessage & { rawBody?: unknown; body?: unknown }): boolean {
  const { 'content-length': length = '0', 'transfer-encoding': encoding } = request.headers
  if (!request.readableDidRead || (length === '0' && encoding === undefined)) return false
  if (Buffer.isBuffer(request.body)) request.rawBody = request.body
  return !Buffer.isBuffer(request.rawBody)
}

function refusal(): Response {
  const message =
    'The body was read before this server got the request. Mount it before parsers of bodies, or keep the bytes in `rawBody`.'
  return answerTo(new StoreError('INVALID_CONFIG', message), () => {})
}
