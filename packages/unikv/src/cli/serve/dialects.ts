import type { HttpOptions, HttpServer, ServedStores } from '@unikv/http'

/** The interfaces that `unikv serve` can speak: its own, and those of which clients exist already. */
export const dialects = ['unikv', 'upstash', 'unstorage'] as const

/** One of `dialects`. */
export type Dialect = (typeof dialects)[number]

/** The server of a dialect; only its own parts are loaded. */
export async function serverOf(
  dialect: Dialect,
  stores: ServedStores,
  options: HttpOptions,
): Promise<HttpServer> {
  if (dialect === 'upstash') return (await import('@unikv/http/upstash')).upstash(stores, options)
  if (dialect === 'unstorage') return (await import('@unikv/http/unstorage')).unstorage(stores, options)
  return (await import('@unikv/http')).http(stores, options)
}

/** Where a store is at such a server. */
export function placeOf(dialect: Dialect, url: string, name: string): string {
  return dialect === 'unikv' ? `${url}/v1/stores/${name}` : `${url}/${name}`
}
