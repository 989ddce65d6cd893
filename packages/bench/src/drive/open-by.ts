import type { Bytes, Store } from '@unikv/core'
import type { StoreOpener } from '../run/target.ts'

/** Open a store once more. */
export async function openBy({ module, url, options }: StoreOpener): Promise<Store<Bytes>> {
  const { open } = (await import(module)) as {
    readonly open: (url: string, options: object) => Promise<Store<Bytes>>
  }
  return open(url, options)
}
