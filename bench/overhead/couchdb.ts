import { keyValue, newVersion } from '@unikv/core'
import { couchdb } from '@unikv/couchdb'
import { type Client, type Entrants, ofKeyValue } from '../measure/entrants.ts'

/**
 * nano on documents of the same shape. A document is replaced with the revision that an earlier answer told, asked for
 * where none did, as an application would do it.
 */
export const overCouchdb: Entrants = {
  server: 'couchdb',
  // Both have new databases each time: with an earlier one's documents there would be their revisions to ask for.
  unikv: async (url) => {
    const { origin, username, password } = new URL(url)
    const at = `${origin.replace('//', `//${username}:${password}@`)}/bench_${process.pid}`
    return ofKeyValue(keyValue(couchdb({ url: at, prepare: true })))
  },
  native: nativeCouchdb,
  keys: 500,
}

async function nativeCouchdb(url: string): Promise<Client> {
  const { default: nano } = (await import(driver)) as Nano
  const client = nano({ url })
  const name = `native_${process.pid}`
  await client.db.create(name)
  const database = client.use(name)
  const revisions = new Map<string, string>()
  const documentOf = (key: string, value: Buffer): Shape => {
    const rev = revisions.get(key)
    return {
      _id: key,
      ...(rev === undefined ? {} : { _rev: rev }),
      version: newVersion(),
      value: value.toString('base64'),
    }
  }
  return {
    insert: async (key: string, value: Buffer) => {
      const { rev } = await database.insert(documentOf(key, value))
      revisions.set(key, rev)
    },
    read: async (key: string) => Buffer.from((await database.get(key)).value, 'base64'),
    delete: async (key: string) => {
      const rev = revisions.get(key) ?? (await revisionOf(database, key))
      revisions.delete(key)
      return rev === undefined ? undefined : database.destroy(key, rev)
    },
    readMany: async (keys: readonly string[]) => {
      const { rows } = await database.fetch({ keys: [...keys] })
      return rows.map(({ doc }) => (doc ? Buffer.from(doc.value, 'base64') : undefined))
    },
    insertMany: async (entries: readonly (readonly [string, Buffer])[]) => {
      const docs = entries.map(([key, value]) => documentOf(key, value))
      for (const { id, rev } of await database.bulk({ docs })) if (rev !== undefined) revisions.set(id, rev)
    },
    close: async () => undefined,
  }
}

async function revisionOf(database: Database, id: string): Promise<string | undefined> {
  const head = await database.head(id).catch(() => undefined)
  return head?.etag.replaceAll('"', '')
}

/** Not known to the compiler: its types need those of undici, which it does not bring. */
const driver: string = 'nano'

/** What is used of nano. */
interface Nano {
  readonly default: (options: { readonly url: string }) => {
    readonly db: { create(name: string): Promise<unknown> }
    use(name: string): Database
  }
}

interface Database {
  head(id: string): Promise<{ readonly etag: string }>
  insert(document: Shape): Promise<{ readonly rev: string }>
  get(id: string): Promise<Shape>
  destroy(id: string, rev: string): Promise<unknown>
  fetch(query: {
    readonly keys: string[]
  }): Promise<{ readonly rows: readonly { readonly doc?: Shape | null }[] }>
  bulk(request: {
    readonly docs: Shape[]
  }): Promise<readonly { readonly id: string; readonly rev?: string }[]>
}

interface Shape {
  readonly _id: string
  readonly _rev?: string
  readonly version: string
  readonly value: string
}
