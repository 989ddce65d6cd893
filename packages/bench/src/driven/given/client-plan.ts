import { StoreError } from '@unikv/core'
import type { ClientPlan } from '../../drive/clients.ts'
import type { LoopPlan } from '../../drive/driver.ts'
import type { StoreTarget } from '../../run/target.ts'

/** The part of a configuration that tells how callers reach a store. */
export interface ClientOptions {
  readonly merge: 'on' | 'off'
  readonly connections: number | 'each'
  readonly allowMisses: boolean
}

/** How the callers of these loops reach a store. */
export function clientPlan(
  { merge, connections }: Omit<ClientOptions, 'allowMisses'>,
  loops: readonly LoopPlan[],
): ClientPlan {
  const callers = Math.max(...loops.map(({ concurrency }) => concurrency))
  return { merge: merge === 'on', connections: connections === 'each' ? callers : connections }
}

/**
 * Refuse a connection for each caller where callers are not counted, further connections of an open store, and misses where no store
 * evicts.
 *
 * @throws {StoreError} `INVALID_ARGUMENT` or `UNSUPPORTED`
 */
export function checkClients(
  { connections, allowMisses }: ClientOptions,
  loops: readonly LoopPlan[],
  stores: readonly StoreTarget[],
): void {
  if (connections === 'each' && loops.some(({ rate }) => rate !== null))
    throw new StoreError(
      'INVALID_ARGUMENT',
      '--connections each is for callers that wait. With a rate, give a number.',
    )
  const given = connections === 1 ? undefined : stores.find(({ opener }) => opener === undefined)
  if (given !== undefined)
    throw new StoreError(
      'UNSUPPORTED',
      `${given.name} is an open store without a URL, so it cannot be opened again. Leave out --connections, or name the store by its URL.`,
    )
  if (allowMisses && stores.every(({ store }) => !store.capabilities.evicts))
    throw new StoreError(
      'INVALID_ARGUMENT',
      `--allow-misses is for a store that declares that it evicts records, such as Memcached, or Redis with ?evicts=true. ${stores.length === 1 ? `${stores[0]?.name} does not` : 'None of these stores does'}, so its reads must find the records that were loaded.`,
    )
}
