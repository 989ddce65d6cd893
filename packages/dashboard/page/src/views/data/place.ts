/** Names of namespaces and a key, or a beginning of keys: `''` stands for all keys. */
export interface KeyPlace {
  readonly namespace: readonly string[]
  readonly prefix: string
}

/** The address of a record on the page: store, key, and the namespaces of the key. */
export function linkOf(store: string, key: string, namespace: readonly string[]): string {
  return `#data/${[store, key, ...namespace].map(encodeURIComponent).join('/')}`
}

/** A key for people: characters that show nothing are written out. */
export function shownKey(key: string): string {
  if (key === '') return '(empty)'
  return key.replace(
    /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g,
    (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
