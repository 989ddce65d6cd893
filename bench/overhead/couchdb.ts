import { keyValue, newVersion } from '@unikv/core'
import { couchdb } from '@unikv/couchdb'
import { startServer } from '@unikv/test-kit'
import { type Entrants, ofKeyValue } from '../measure/overhead.ts'

/**
 * nano on documents of the same shape. A document is replaced with the revision that an earlier answer told, asked for
 * where none did, as an application would do it.
 */
export async function overCouchdb(): Promise<Entrants> {
  const server = await startServer('couchdb')
  const { origin, username, password } = new URL(server.url)
  const { default: nano } = (await import(driver)) as Nano
  const client = nano({ url: server.url })
  await client.db.create('native')
  const native = client.use('native')
  const kv = keyValue(
    couchdb({ url: `${origin.replace('//', `//${username}:${password}@`)}/bench`, prepare: true }),
  )
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
  const operations = {
    insert: async (key: string, value: Buffer) => {
      const { rev } = await native.insert(documentOf(key, value))
      revisions.set(key, rev)
    },
    read: async (key: string) => Buffer.from((await native.get(key)).value, 'base64'),
    delete: async (key: string) => {
      const rev = revisions.get(key) ?? (await revisionOf(native, key))
      revisions.delete(key)
      return rev === undefined ? undefined : native.destroy(key, rev)
    },
    readMany: async (keys: readonly string[]) => {
      const { rows } = await native.fetch({ keys: [...keys] })
      return rows.map(({ doc }) => (doc ? Buffer.from(doc.value, 'base64') : undefined))
    },
    insertMany: async (entries: readonly (readonly [string, Buffer])[]) => {
      const docs = entries.map(([key, value]) => documentOf(key, value))
      for (const { id, rev } of await native.bulk({ docs })) if (rev !== undefined) revisions.set(id, rev)
    },
  }
  const close = async (): Promise<void> => {
    await kv.close()
    await server.stop()
  }
  return { native: operations, unikv: ofKeyValue(kv), keys: 500, close }
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
