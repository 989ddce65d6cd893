import type { Agent, RequestOptions } from 'node:http'
import type { HttpAttempt } from './attempt.ts'

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
