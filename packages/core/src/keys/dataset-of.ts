import { newVersion } from '../contract/version.ts'

/** Names that objects stand for: stores that name no dataset, and what memory stores hold, which others may wrap. */
const names = new WeakMap<object, string>()

/** The dataset of a store. One that names none has those of the object, in this process alone. */
export function datasetOf(store: { readonly dataset?: string | undefined }): string {
  if (store.dataset !== undefined) return store.dataset
  // Not by its getter, which may open a client.
  const native: unknown = Object.getOwnPropertyDescriptor(store, 'native')?.value
  return names.get(Object(native)) ?? named(store, '#')
}

/** Let this object stand for a dataset of its own. */
export function named(object: object, kind: string): string {
  const name = names.get(object) ?? `${kind}${newVersion()}`
  names.set(object, name)
  return name
}
