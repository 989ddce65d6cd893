import { type Capabilities, StoreError } from '@unikv/core'
import { hidesNames, showsNamesOf } from '@unikv/core/adapter'
import type { InvalidationBus } from './bus/bus.ts'
import type { StoreCacheSettings } from './store-cache-options.ts'

// The stacks that a cache cannot be placed in.

type Where = Pick<StoreCacheSettings, 'store' | 'plaintext'>

/** Rejects a bus whose store reports hashes of keys: they match no key of this cache, so no entry would be voided. */
export function refuseHashedNames(below: Capabilities, bus: InvalidationBus | undefined): void {
  if (bus?.storeTells !== true || !hidesNames(below)) return
  throw new StoreError(
    'INVALID_CONFIG',
    'The store tells of hashed key names, which this cache does not know: put it below the encryption, or give it a bus on which caches tell each other, such as pubSubBus.',
  )
}

/** Plain text of a sealed store is kept elsewhere only where that is allowed. */
export function refuseLeak({ sealed }: Capabilities, { store, plaintext }: Where): void {
  if (!sealed || store.capabilities.sealed || plaintext === 'allowed') return
  const remedy = `put the cache below the encryption, encrypt the cache store too, or say plaintext: 'allowed'`
  throw new StoreError(
    'INVALID_CONFIG',
    `The cache would keep plain text of a sealed store in ${store.name}: ${remedy}.`,
  )
}

/** A warm restart hides names in its records; a cache store has records under them. */
export function refuseNames(below: Capabilities, { store, plaintext }: Where): void {
  if (!showsNamesOf(below, store.capabilities) || plaintext === 'allowed') return
  const remedy = `give the encryption of the cache store names, too, put the cache below the encryption, or say plaintext: 'allowed'`
  throw new StoreError(
    'INVALID_CONFIG',
    `The cache would keep key names that are hashed below in ${store.name}: ${remedy}.`,
  )
}

/** The error of a cache that asks on each hit, over a store that cannot be asked so. */
export function unaskable(name: string): StoreError {
  return new StoreError(
    'INVALID_CONFIG',
    `${name} cannot be asked whether a version is still the same, which localTier: 'validated' does on each hit.`,
  )
}
