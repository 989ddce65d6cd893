import { access } from 'node:fs/promises'
import { isStoreError, StoreError } from '@unikv/core'
import { pathOf } from '@unikv/core/url'
import { isPathUrl, splitUrl } from '@unikv/stores/lazy'
import { isUrl } from '../same-place.ts'

/**
 * Check that the path of a URL exists: a store that is only read must not begin empty.
 *
 * @throws {StoreError} `INVALID_ARGUMENT`
 */
export async function checkThere(place: string): Promise<void> {
  const missing = await missingPath(place)
  if (missing !== undefined)
    throw new StoreError('INVALID_ARGUMENT', `There is no store: ${missing} does not exist.`)
}

/** The path of a URL, if nothing is there: a store would be made. */
export async function missingPath(place: string): Promise<string | undefined> {
  if (!isUrl(place) || !isPathUrl(place)) return undefined
  const { scheme, path } = splitUrl(place)
  if (scheme === 'memory') return undefined
  const file = pathOf(scheme, path)
  return access(file).then(
    () => undefined,
    () => file,
  )
}

/**
 * Read a place that is opened without making anything there.
 *
 * @throws {StoreError} `NOT_PREPARED` in words that fit: there are no records
 */
export async function reading<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    if (!isStoreError(error) || error.code !== 'NOT_PREPARED') throw error
    const { message, store, operation } = error
    throw new StoreError('NOT_PREPARED', noRecords(message), { cause: error, store, operation })
  }
}

/** A sentence that names the missing thing, from the message of a store, such as `There is no table "unikv". Call …`. */
export function noRecords(message: string): string {
  const [, kind = 'dataset', name] =
    /There is no (?:such )?(\w+)(?: "?([^\s"]+?)"?)?(?:[. ]|$)/.exec(message) ?? []
  const what = name === undefined || name === 'in' ? kind : `${kind} ${name}`
  return `There are no records: the ${what} is not there.`
}
