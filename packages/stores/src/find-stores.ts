import { type Capabilities, capabilityRanks, StoreError } from '@unikv/core'
import type { StoreFacts, StoreVariant } from '@unikv/core/adapter'
import { features } from './features.ts'

/** The requirements for a store. */
export interface StoreQuery {
  /** Names of `features` that must hold, all with the same options. */
  readonly with?: readonly string[] | undefined
  /** Names of `features` that must not hold. */
  readonly without?: readonly string[] | undefined
  /** Values of at least so many bytes. */
  readonly minValueBytes?: number | undefined
  /** Keys of at least so many bytes. */
  readonly minKeyBytes?: number | undefined
  /** Acknowledged writes survive at least this. */
  readonly durability?: Capabilities['durability'] | undefined
  /** At least this isolation. */
  readonly isolation?: Capabilities['isolation'] | undefined
  /** A consistency level that calls may ask for. */
  readonly consistency?: string | undefined
}

/** A store that fits, and the first of its variants that does. */
export interface FoundStore {
  readonly store: StoreFacts
  readonly variant: StoreVariant
}

/** From weak to strong. */
export const durabilities: readonly Capabilities['durability'][] = capabilityRanks('durability')
/** From weak to strong. */
export const isolations: readonly Capabilities['isolation'][] = capabilityRanks('isolation')

/**
 * The stores that fit, each with the options that it takes.
 *
 * @throws {StoreError} `INVALID_ARGUMENT` for an unknown feature or level, and for a need that no store can meet
 */
export function findStores(stores: readonly StoreFacts[], query: StoreQuery): readonly FoundStore[] {
  for (const name of [...(query.with ?? []), ...(query.without ?? [])]) checkFeature(name)
  checkQuery(stores, query)
  return stores.flatMap((store) => {
    const variant = store.variants.find(({ capabilities }) => fits(capabilities, query))
    return variant === undefined ? [] : [{ store, variant }]
  })
}

/** Other names, as the schemes of URLs have them. */
const aliases: Readonly<Record<string, string>> = {
  valkey: 'redis',
  mariadb: 'mysql',
  postgresql: 'postgres',
  titan: 'janusgraph',
}

/**
 * The store of this name.
 *
 * @throws {StoreError} `INVALID_ARGUMENT` with the names that there are
 */
export function storeNamed<S extends { readonly name: string }>(stores: readonly S[], name: string): S {
  const asked = aliases[name.toLowerCase()] ?? name.toLowerCase()
  const store = stores.find((one) => one.name === name) ?? stores.find((one) => one.name === asked)
  if (store !== undefined) return store
  const names = stores.map((one) => one.name).join(', ')
  throw new StoreError('INVALID_ARGUMENT', `unknown store '${name}'; the stores are ${names}`)
}

function fits(capabilities: Capabilities, query: StoreQuery): boolean {
  const { durability = 'memory', isolation = 'eventual', consistency } = query
  return (
    (query.with ?? []).every((name) => features[name]?.holds(capabilities)) &&
    !(query.without ?? []).some((name) => features[name]?.holds(capabilities)) &&
    capabilities.maxValueBytes >= (query.minValueBytes ?? 0) &&
    capabilities.maxKeyBytes >= (query.minKeyBytes ?? 0) &&
    durabilities.indexOf(capabilities.durability) >= durabilities.indexOf(durability) &&
    isolations.indexOf(capabilities.isolation) >= isolations.indexOf(isolation) &&
    (consistency === undefined || capabilities.consistency.includes(consistency))
  )
}

/** A need that no store meets by itself is a mistake; an empty list would hide it. */
function checkQuery(stores: readonly StoreFacts[], query: StoreQuery): void {
  const { consistency, minValueBytes = 0, minKeyBytes = 0, with: asked = [], without = [] } = query
  const all = stores.flatMap(({ variants }) => variants.map(({ capabilities }) => capabilities))
  const both = asked.find((name) => without.includes(name))
  if (both !== undefined) throw wrong(`'${both}' is both required and excluded`)
  const levels = [...new Set(all.flatMap((one) => one.consistency))]
  if (consistency !== undefined && !levels.includes(consistency))
    throw wrong(`no store has the consistency level '${consistency}'; the levels are ${levels.join(', ')}`)
  checkLimit('values', minValueBytes, Math.max(...all.map(({ maxValueBytes }) => maxValueBytes)))
  checkLimit('keys', minKeyBytes, Math.max(...all.map(({ maxKeyBytes }) => maxKeyBytes)))
}

function checkLimit(what: string, asked: number, most: number): void {
  if (asked > most) throw wrong(`no store allows ${what} of ${asked} bytes; the largest limit is ${most}`)
}

function wrong(message: string): StoreError {
  return new StoreError('INVALID_ARGUMENT', message)
}

function checkFeature(name: string): void {
  if (Object.hasOwn(features, name)) return
  const known = Object.keys(features).join(', ')
  throw new StoreError('INVALID_ARGUMENT', `'${name}' is not a feature of stores; the features are ${known}`)
}
