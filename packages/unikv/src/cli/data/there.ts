import { access } from 'node:fs/promises'
import { StoreError } from '@unikv/core'
import { pathOf } from '@unikv/core/url'
import { isPathUrl, splitUrl } from '@unikv/stores/lazy'
import { isUrl } from './is-url.ts'

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
