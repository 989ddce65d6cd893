import type { ServerKind } from '@unikv/test-kit'

/** What one client offers. A key that is deleted may be missing, and one that is inserted present. */
export interface Operations {
  readonly insert: (key: string, value: Buffer) => Promise<unknown>
  readonly read: (key: string) => Promise<unknown>
  readonly delete: (key: string) => Promise<unknown>
  /** Many in the client's own way of doing so, if it has one. */
  readonly readMany?: (keys: readonly string[]) => Promise<unknown>
  readonly insertMany?: (entries: readonly (readonly [string, Buffer])[]) => Promise<unknown>
}

/** A client that is open. */
export interface Client extends Operations {
  readonly close: () => Promise<unknown>
}

/** A store: its native client, and unikv over it, both over data of their own. */
export interface Entrants {
  /** The server that both use; without it the store is in the process. */
  readonly server?: ServerKind
  /** What is different from the server of the tests, as its command line has it; a named server or a container is as it is. */
  readonly serverArgs?: readonly string[]
  /** Opened first: what both need of the server, such as a table, is there afterwards. */
  readonly unikv: (url: string) => Promise<Client>
  readonly native: (url: string) => Promise<Client>
  /** Keys that are there from the start. @default 2,000 */
  readonly keys?: number
}

/** A KeyValue as such a client. */
export function ofKeyValue(kv: {
  set(key: string, value: Uint8Array): Promise<unknown>
  get(key: string): Promise<unknown>
  delete(key: string): Promise<unknown>
  getMany(keys: readonly string[]): Promise<unknown>
  setMany(entries: readonly (readonly [string, Uint8Array])[]): Promise<unknown>
  close(): Promise<unknown>
}): Client {
  return {
    insert: (key, bytes) => kv.set(key, bytes),
    read: (key) => kv.get(key),
    delete: (key) => kv.delete(key),
    readMany: (keys) => kv.getMany(keys),
    insertMany: (entries) => kv.setMany(entries),
    close: () => kv.close(),
  }
}
