import { inParallel } from '@unikv/core/adapter'
/** The operations of the study, on keys and values. */
export interface Client<V = Uint8Array> {
  insert(key: string, value: V): Promise<unknown>
  read(key: string): Promise<unknown>
  update(key: string, value: V): Promise<unknown>
  delete(key: string): Promise<unknown>
  /** Remove all that it has written. */
  remove(): Promise<unknown>
  /** Documents that can be searched, where the server does that. */
  readonly documents?: Documents | undefined
}

/** Documents of a table of their own. */
export interface Documents {
  add(key: string, document: SearchedDocument): Promise<unknown>
  /** The keys of the first ten of a group, in their order, once their documents are there as objects. */
  search(group: string): Promise<readonly string[]>
  /** Remove the table. */
  remove(): Promise<unknown>
}

/** A document that a search may find. */
export interface SearchedDocument {
  readonly group: string
  readonly [field: string]: string
}

/** Most documents of an answer. */
export const mostFound = 10

/** Where the records of a native client stand. */
export interface NativePlace {
  /** For a table, a collection, a folder or a prefix: small letters, digits and `_`. */
  readonly name: string
  /** The database, keyspace or bucket of the URL; `undefined`: it has none. */
  readonly database: string | undefined
  /** How many callers there will be at the same time. */
  readonly callers: number
  /** Whether writes of the store outlive a crash of the machine. */
  readonly flushed: boolean
}

/** After so long records expire by themselves in stores that cannot list their keys, should a process be killed. */
export const longestMs = 86_400_000

/** Calls at the same time that remove records. */
export const lanes = 16

/** A client that remembers the keys it wrote, and removes them one by one: its store cannot list them. */
export function remembering<V>(client: Client<V>): Client<V> {
  const keys = new Set<string>()
  return {
    ...client,
    insert(key, value) {
      keys.add(key)
      return client.insert(key, value)
    },
    remove: () => inParallel([...keys], lanes, (key) => client.delete(key)),
  }
}
