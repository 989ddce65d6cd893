import { isStoreError, toStoreError } from '@unikv/core'
import { isBytes } from '@unikv/core/platform'
import { Hono } from 'hono'
import { problemOf } from '../protocol/problems.ts'
import { Gate, type HttpServer, type ServedStores } from '../server/gate.ts'
import type { HttpOptions } from '../server/options.ts'
import { pagesOf } from '../server/pages.ts'
import { Refused } from '../server/refused.ts'
import type { Asked } from '../server/request.ts'
import { Session } from '../server/session.ts'
import { type Argument, CommandError } from './arguments.ts'
import { ok, type Reply } from './command.ts'
import { isRead, type Outcome, run, runAll, runTogether } from './commands.ts'
import { commandsIn, isSeveral, isSigned, partsOf, signed } from './request.ts'

/**
 * Serve stores as Upstash's REST interface does, for the string commands of `@upstash/redis` and other such clients. Each store is a
 * database at `/NAME`.
 *
 * ```ts
 * const { fetch } = upstash({ users }, { tokens: [{ name: 'app', token, may: 'write' }] })
 * const redis = new Redis({ url: 'https://host/users', token }) // of @upstash/redis
 * ```
 *
 * @throws {StoreError} `INVALID_CONFIG` for a store that cannot be served, and without a protection that is named
 */
export function upstash(stores: ServedStores, options: HttpOptions): HttpServer {
  const gate = new Gate('upstash', stores, options)
  const { basePath, origins, hasTokens, hear } = gate.settings
  const app = new Hono().basePath(basePath)
  if (origins.length > 0) app.use(pagesOf(origins, { methods, sent: ['upstash-encoding'], read: [] }))
  app.all('/:store{[^/]+}/:command{.*}?', async ({ req }) => {
    const request = signed(req.raw)
    const asked = await gate.asked(request, req.param('store'))
    const { pathname } = new URL(request.url)
    const path = partsOf(pathname.slice(basePath.length)).slice(1)
    return answered(asked, path, hasTokens || isSigned(req.raw), hear)
  })
  app.notFound(() => answer({ error: 'ERR each store is a database at /NAME' }, 404))
  app.onError((error) => {
    const { message, status } = told(error, hear)
    return answer({ error: message }, status)
  })
  return { fetch: async (request) => app.fetch(request) }
}

const methods = ['GET', 'HEAD', 'POST', 'PUT']

async function answered(
  asked: Asked,
  path: readonly string[],
  isOwn: boolean,
  hear: (error: unknown) => void,
): Promise<Response> {
  const { request } = asked
  if (!methods.includes(request.method)) throw new CommandError('ERR use GET, HEAD, POST or PUT', 405)
  const commands = await commandsIn(asked, path, isOwn)
  const session = new Session(asked)
  const isBase64 = request.headers.get('upstash-encoding') === 'base64'
  const said = (outcome: Outcome): object =>
    'error' in outcome
      ? { error: told(outcome.error, hear).message }
      : { result: encoded(outcome.reply, isBase64) }
  if (isSeveral(path)) {
    const runs = path[0] === 'multi-exec' ? runTogether : runAll
    return answer((await runs(session, commands)).map(said))
  }
  const [words] = commands as [readonly Argument[]]
  if (path.length > 0 && !isOwn && !isRead(words))
    throw new Refused(403, 'FORBIDDEN', 'Without a token, changes are sent as JSON in the body.')
  const outcome = await run(session, words)
  return answer(said(outcome), 'error' in outcome ? told(outcome.error, () => {}).status : 200)
}

/** A reply in JSON. Only `OK` is never base64. */
function encoded(reply: Reply, isBase64: boolean): unknown {
  if (reply === ok) return 'OK'
  if (reply === null || typeof reply === 'number') return reply
  if (typeof reply === 'string' || isBytes(reply))
    return Buffer.from(reply as string).toString(isBase64 ? 'base64' : 'utf8')
  return reply.map((one) => encoded(one, isBase64))
}

function answer(body: unknown, status = 200): Response {
  const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' }
  return new Response(JSON.stringify(body), { status, headers })
}

/** An error in the words of Redis. It holds no key, no value and no secret. */
function told(error: unknown, hear: (error: unknown) => void): { message: string; status: number } {
  if (error instanceof CommandError) return error
  if (error instanceof Refused) {
    const { status, detail, code } = error.problem
    const word = code === 'UNAUTHORIZED' ? 'WRONGPASS' : code === 'FORBIDDEN' ? 'NOPERM' : 'ERR'
    return { status, message: `${word} ${detail}` }
  }
  if (!isStoreError(error)) hear(error)
  const { code, message, status } = messageOf(error)
  return { status, message: `${code === 'STORE_FULL' ? 'OOM' : 'ERR'} ${message} (${code})` }
}

/** The message of an error of another kind may hold anything. */
function messageOf(error: unknown): { code: string; message: string; status: number } {
  const { code, detail, status } = problemOf(
    isStoreError(error) ? error : toStoreError(error, { code: 'UNAVAILABLE' }),
  )
  return { code, message: detail, status }
}
