import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Redis } from 'ioredis'

/** The secret of the tests. */
export const token = 'a-token-of-the-tests'

/** A server that speaks Upstash's REST in front of a Redis. */
export interface RestServer {
  readonly url: string
  readonly server: Server
  /** Commands that were passed on, in capitals. */
  readonly passed: string[]
  close(): Promise<void>
}

type Words = readonly [string, ...string[]]

/** Passes commands on to a Redis: one by `POST /`, several by `POST /pipeline`. */
export async function restServer(redisUrl: string): Promise<RestServer> {
  const redis = new Redis(redisUrl)
  const passed: string[] = []
  const run = async ([name, ...args]: Words): Promise<object> => {
    passed.push(name.toUpperCase())
    try {
      return { result: encoded(await redis.callBuffer(name, args)) }
    } catch (error) {
      return { error: (error as Error).message }
    }
  }
  const server = createServer((request, response) => {
    answer(request, run).then(
      ({ status, said }) =>
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(said)),
      // The request was cut off.
      () => response.destroy(),
    )
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    server,
    passed,
    async close() {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
      redis.disconnect()
    },
  }
}

async function answer(
  request: IncomingMessage,
  run: (words: Words) => Promise<object>,
): Promise<{ status: number; said: unknown }> {
  if (request.headers.authorization !== `Bearer ${token}`)
    return { status: 401, said: { error: 'Unauthorized' } }
  const body = JSON.parse(Buffer.concat(await request.toArray()).toString()) as unknown
  if (request.url === '/pipeline') {
    // All go out before the first reply, as a pipeline does.
    return { status: 200, said: await Promise.all((body as Words[]).map(run)) }
  }
  const said = await run(body as Words)
  return { status: 'error' in said ? 400 : 200, said }
}

/** Strings in base64, but `OK`. */
function encoded(reply: unknown): unknown {
  if (Array.isArray(reply)) return reply.map(encoded)
  if (!Buffer.isBuffer(reply)) return typeof reply === 'string' ? encoded(Buffer.from(reply)) : reply
  return reply.toString() === 'OK' ? 'OK' : reply.toString('base64')
}
