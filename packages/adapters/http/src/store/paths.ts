import type { CallOptions } from '@unikv/core'
import { jsonOf } from '@unikv/core/http-client'
import type { Client } from './client.ts'

/** A longer key travels in a body: servers and proxies limit the first line of a request. */
export function fitsPath(key: string): boolean {
  return key.length <= 500
}

/** The path of one record. */
export function pathOf(key: string, { consistency }: CallOptions): string {
  const level = consistency === undefined ? '' : `&consistency=${encodeURIComponent(consistency)}`
  return `/record?canonical=${encodeURIComponent(key)}${level}`
}

/** Ask for several, or change several. */
export async function batch(
  client: Client,
  kind: 'reads' | 'writes',
  items: readonly object[],
  call: CallOptions,
): Promise<unknown> {
  const answer = await post(client, `/${kind}?bytes=true`, { [kind]: items }, call, kind === 'writes')
  return (Object(answer) as { readonly results?: unknown }).results
}

/** Ask by a body of JSON, for JSON. */
export async function post(
  client: Client,
  path: string,
  content: object,
  call: CallOptions,
  isWrite: boolean,
): Promise<unknown> {
  const level = call.consistency === undefined ? '' : `&consistency=${encodeURIComponent(call.consistency)}`
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify(content)
  const answer = await client.ask({ method: 'POST', path: path + level, headers, body }, call, isWrite)
  return jsonOf(answer.body)
}

/** Results aligned with the items, or an odd answer. */
export function understood<T>(
  client: Client,
  isWrite: boolean,
  count: number,
  results: unknown,
  read: (wire: unknown) => T,
): readonly T[] {
  if (!Array.isArray(results) || results.length !== count) throw client.odd(isWrite)
  try {
    return results.map(read)
  } catch {
    throw client.odd(isWrite)
  }
}
