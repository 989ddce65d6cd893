import { relative, resolve } from 'node:path'
import { openOwnStore } from '@unikv/bench/engine'
import type { Bytes, Store } from '@unikv/core'
import { open } from '@unikv/stores/lazy'

const isModule = /^(?![a-z][a-z\d+.-]*:).*\.[cm]?[jt]s$/is

/** The URL of a store in a file of the user's, such as `./my-store.ts`, alike for all spellings; `undefined`: it is something else. */
export function ownStoreUrl(place: string): string | undefined {
  if (!isModule.test(place)) return undefined
  const path = relative('', resolve(place))
  return `module:${(path.startsWith('.') ? path : `./${path}`).split('/').map(encodeURIComponent).join('/')}`
}

/** Open a store by its URL, which may be that of a file of the user's. */
export async function openPlace(url: string, options: { readonly dataset?: string }): Promise<Store<Bytes>> {
  return url.startsWith('module:') ? openOwnStore(url, options) : open(url, options)
}
