import { type Bytes, isEntry, isStoreError, type ReadResult, type Store, StoreError } from '@unikv/core'
import { corrupt, type Manifest, partLength, readPart } from './format.ts'
import { partKey } from './keys.ts'

/** How often a value may be replaced while its parts are fetched. */
export const maxRounds = 16

/** The bytes of a part that was read; `undefined`: it is not there. @throws {StoreError} that of the store, or `CORRUPT` */
export function partOf(
  owner: string,
  manifest: Manifest,
  number: number,
  result: ReadResult<unknown>,
): Bytes | undefined {
  if (isStoreError(result)) throw result
  if (result === undefined) return undefined
  if (!isEntry(result)) throw corrupt('is a part without its bytes')
  const key = partKey(owner, manifest.id, number)
  return readPart(key, result.value as Bytes, partLength(manifest, number))
}

/**
 * The error for a part that its record still names and that is not there. No writer removes such a part: the store has dropped it,
 * which it may, or does not show it yet. `undefined`: the value counts as dropped.
 */
export function lostPart({ capabilities }: Pick<Store<never>, 'capabilities'>): StoreError | undefined {
  if (capabilities.evicts) return undefined
  if (capabilities.isolation !== 'eventual') return corrupt('names a part that is not there')
  return new StoreError(
    'UNAVAILABLE',
    'A part of the value is not there. The store is only eventually consistent: it may come. Try again.',
  )
}

/** The error of a read that had to begin anew too often. */
export function overtaken(): StoreError {
  const message = `The value was replaced ${maxRounds} times while it was being read. Try again, or spread the writes over more keys.`
  return new StoreError('UNAVAILABLE', message)
}
