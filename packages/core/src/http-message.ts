import type { Agent, IncomingMessage, RequestOptions } from 'node:http'
import type { HttpAttempt } from './http-connections.ts'

/** A request in the form in which the AWS SDK hands it to its request handler. */
export interface HttpRequest {
  readonly protocol: string
  readonly hostname: string
  readonly port?: number | undefined
  readonly method: string
  readonly path: string
  readonly query?: Readonly<Record<string, string | readonly string[] | null>> | undefined
  readonly headers: Readonly<Record<string, string>>
  readonly body?: unknown
  /** The attempt that it belongs to, where it came with the request. */
  readonly attempt?: HttpAttempt | undefined
}

/** An answer in the form in which the AWS SDK takes it. */
export interface HttpResponse {
  readonly statusCode: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: IncomingMessage
}

/** A request as Node takes it, over the connections of an agent. */
export function optionsOf(request: HttpRequest, agent: Agent): RequestOptions {
  const { hostname, port, method, path, query, headers } = request
  const search = query === undefined ? '' : searchOf(query)
  return {
    // An IPv6 address stands in brackets in URLs alone.
    host: hostname.startsWith('[') ? hostname.slice(1, -1) : hostname,
    port,
    method,
    path: search === '' ? path : `${path}?${search}`,
    headers,
    agent,
  }
}

/** The head of an answer; its body is still to be read. */
export function responseOf(incoming: IncomingMessage): HttpResponse {
  return { statusCode: incoming.statusCode ?? 0, headers: headersOf(incoming), body: incoming }
}

/** Of all headers only cookies come as a list. */
function headersOf({ headers }: IncomingMessage): Readonly<Record<string, string>> {
  const { 'set-cookie': cookies } = headers
  const whole = cookies === undefined ? headers : { ...headers, 'set-cookie': cookies.join(', ') }
  return whole as Readonly<Record<string, string>>
}

/** The whole body of an answer. (As an asynchronous iterator it would cost as much as the rest of the request.) */
export function bodyOf(incoming: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    incoming
      .on('data', (chunk: Buffer) => chunks.push(chunk))
      .once('end', () => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)))
      .once('error', reject)
      .once('close', () => {
        // It comes after the end, too, and an error costs as much as all else here.
        if (!incoming.readableEnded) reject(cutShort())
      })
  })
}

function cutShort(): Error {
  return new Error('The connection was closed before the whole answer was there.')
}

/** Parameters in the order and with the escapes with which they were signed. */
function searchOf(query: NonNullable<HttpRequest['query']>): string {
  return Object.keys(query)
    .toSorted()
    .flatMap((name) => {
      const value = query[name]
      if (value === undefined || value === null) return [escaped(name)]
      return [value].flat().map((one) => `${escaped(name)}=${escaped(one)}`)
    })
    .join('&')
}

/** As RFC 3986 has it: `encodeURIComponent` lets five more characters through. */
function escaped(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)
}
