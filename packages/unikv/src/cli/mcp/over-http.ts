import { cannotLoad } from '@unikv/core/adapter'
import type { HttpServer } from '@unikv/http'
import { answerTo, badRequest, jsonIn } from '@unikv/http/parts'
import { comparing } from './comparing.ts'
import { askOf, loadSdk, mcpServer } from './server.ts'

/** The page with the tools at `/mcp`, for those whom the page lets in. `folders`: with results of benchmarks. */
export async function withMcp(page: HttpServer, folders: readonly string[]): Promise<HttpServer> {
  await loadSdk()
  const Transport = await loadTransport()
  return {
    async fetch(request) {
      if (new URL(request.url).pathname !== '/mcp') return page.fetch(request)
      const headers = callerOf(request)
      const entered = await page.fetch(new Request(new URL('/api/overview', request.url), { headers }))
      if (!entered.ok) return entered
      // Nothing is kept between two requests, so there is no stream to hear, and no session to end.
      if (request.method !== 'POST') return new Response(null, { status: 405, headers: { allow: 'POST' } })
      const asked = await messagesIn(request)
      if (asked instanceof Response) return asked
      const ask = askOf(page.fetch, request.url, headers)
      const server = await mcpServer({ ask, compare: comparing(folders, ask) })
      const transport = new Transport({ enableJsonResponse: true })
      await server.connect(transport)
      return transport.handleRequest(request, { parsedBody: asked })
    },
  }
}

/** Bytes of a body, at most: questions are short. */
const maxBodyBytes = 1_048_576

/** Messages of one body, at most. */
const mostMessages = 20

/** The messages of a body, or a refusal: the transport would answer as many calls at once as a body of 4 MB holds. */
async function messagesIn(request: Request): Promise<object | Response> {
  try {
    const messages = await jsonIn({ request, limits: { maxBodyBytes } })
    if (!Array.isArray(messages) || messages.length <= mostMessages) return messages
    throw badRequest(`A body has at most ${mostMessages} messages.`)
  } catch (error) {
    return answerTo(error, () => {})
  }
}

/** The headers that decide who a caller is, and where its page comes from. */
function callerOf({ headers }: Request): Headers {
  const own = new Headers()
  for (const name of ['authorization', 'origin']) {
    const value = headers.get(name)
    if (value !== null) own.set(name, value)
  }
  return own
}

async function loadTransport() {
  try {
    const sdk = await import('@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js')
    return sdk.WebStandardStreamableHTTPServerTransport
  } catch (cause) {
    throw cannotLoad('@modelcontextprotocol/sdk', cause)
  }
}
