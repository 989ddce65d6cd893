import type { Feature } from '@unikv/core'
import type { OpenedStore, OpenedWith, OpenOptions } from './opening.ts'
import { table } from './table.ts'

/**
 * A store by its URL, as `open` of `unikv` makes it; only the adapter of this URL is loaded. Nothing is connected, and
 * no driver loaded, before the first call.
 *
 * @throws {StoreError} `INVALID_CONFIG` for an unknown scheme or a wrong URL; the message never holds user info.
 * `UNSUPPORTED` for a store that lacks what `needs` names
 */
export async function open<const U extends string, const F extends Feature = never>(
  url: U,
  options: OpenOptions<F> = {},
): Promise<OpenedWith<OpenedStore<U>, F>> {
  const { asked, opened } = await import('./opening.ts')
  const request = asked(url, options)
  return opened(await table[request.kind].load(), request)
}
