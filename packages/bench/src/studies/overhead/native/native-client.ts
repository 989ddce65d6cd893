/** The operations of the study, on keys and values. */
export interface Client<V = Uint8Array> {
  insert(key: string, value: V): Promise<unknown>
  read(key: string): Promise<unknown>
  update(key: string, value: V): Promise<unknown>
  delete(key: string): Promise<unknown>
  /** Remove all that it has written. */
  remove(): Promise<unknown>
}

/** Where the records of a native client stand. */
export interface NativePlace {
  /** For a table, a collection or a prefix: letters, digits and `_`. */
  readonly name: string
  /** The database or keyspace of the URL; `undefined`: it has none. */
  readonly database: string | undefined
  /** How many callers there will be at the same time. */
  readonly callers: number
}
