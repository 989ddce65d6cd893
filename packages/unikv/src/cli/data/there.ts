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
  if (!isUrl(place) || !isPathUrl(place)) return
  const { scheme, path } = splitUrl(place)
  if (scheme === 'memory') return
  const file = pathOf(scheme, path)
  try {
    await access(file)
  } catch {
    throw new StoreError('INVALID_ARGUMENT', `There is no store: ${file} does not exist.`)
  }
}
