import type { IncomingMessage, RequestOptions } from 'node:http'

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
}

/** An answer in the form in which the AWS SDK takes it. */
export interface HttpResponse {
  readonly statusCode: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: IncomingMessage
}

/** A request as Node takes it. */
export function optionsOf(request: HttpRequest): RequestOptions {
  const { hostname, port, method, path, query = {}, headers } = request
  const search = searchOf(query)
  return {
    // An IPv6 address stands in brackets in URLs alone.
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    ...(port === undefined ? {} : { port }),
    method,
    path: search === '' ? path : `${path}?${search}`,
    headers,
  }
}

/** The head of an answer; its body is still to be read. */
export function responseOf(incoming: IncomingMessage): HttpResponse {
  const headers: Record<string, string> = {}
  for (const name in incoming.headers) headers[name] = String(incoming.headers[name])
  return { statusCode: incoming.statusCode ?? 0, headers, body: incoming }
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
