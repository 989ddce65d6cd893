import { base } from '../protocol/headers.ts'
import { badRequest, Refused, shown } from './refused.ts'

/** Parameters of the query of a request about one record. */
export const ofRecord = ['key', 'canonical', 'namespace', 'consistency'] as const

/** Parameters of the query of a batch: its namespace is in the body. */
export const ofBatch = ['bytes', 'consistency'] as const

/** Parameters of a query by fields. */
export const ofQuery = [...ofBatch, 'canonical'] as const

const ofAnyListing = ['consistency', 'prefix', 'gte', 'lt', 'reverse', 'limit', 'cursor', 'values', 'bytes']

/** Parameters of the query of a listing. */
export const ofListing = [...ofAnyListing, 'canonical', 'namespace', 'gt', 'lte']

/** Those with `canonical=true`: their bounds are those of the store. */
export const ofStoreListing = [...ofAnyListing, 'canonical', 'clears']

/** Refuse a parameter that is not known here, and one that is given twice: without its namespace a key would be another one. */
export function checkQuery(query: URLSearchParams, known: readonly string[]): void {
  if (query.size === 0) return
  const seen = new Set<string>()
  for (const name of query.keys()) {
    if (name.endsWith(']')) throw badRequest('A list in the query repeats its name: namespace=a&namespace=b.')
    if (!known.includes(name)) throw badRequest(`The query has the unknown parameter '${shown(name)}'.`)
    if (name !== 'namespace' && seen.has(name)) throw badRequest(`The query has ${name} more than once.`)
    seen.add(name)
  }
}

/**
 * Reads the part of a URL that is the key, as it was sent; `''`: there is none. All before the key must be written as it
 * is: a proxy that lets only some paths through would read `%72ecords` in another way than a router.
 *
 * @throws {Refused} for another path
 */
export function keyPathsOf(basePath: string): (url: string) => string {
  const stores = `${basePath.replaceAll('.', '\\.')}${base}/stores`
  const path = new RegExp(
    `^[^/?#]+//[^/?#]+${stores}/[^/?#]+(?:/(?:record|reads|writes|find|aggregate|records(?:/([^?#]*))?))?(?:[?#]|$)`,
  )
  return (url) => {
    const found = path.exec(url)
    if (found === null) throw notHere()
    return found[1] ?? ''
  }
}

/** The refusal of a path that there is not. */
export function notHere(): Refused {
  return new Refused(404, 'NOT_FOUND', 'There is nothing here. GET /v1/openapi.json tells what there is.')
}
