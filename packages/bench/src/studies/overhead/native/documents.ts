import { concerns } from '../../../ehr/native/documents.ts'
import type { Client, NativePlace } from './native-client.ts'

/** The methods of the driver in use. */
interface Native {
  client(): Promise<{ db(name: string): { collection(name: string, options?: object): Collection } }>
}

interface Collection {
  insertOne(record: object): Promise<unknown>
  updateOne(filter: object, change: object): Promise<unknown>
  findOne(filter: object): Promise<unknown>
  deleteOne(filter: object): Promise<unknown>
  drop(): Promise<unknown>
}

/** A collection of keys and values. */
export async function mongodb(native: unknown, { name, database = 'unikv' }: NativePlace): Promise<Client> {
  const client = await (native as Native).client()
  const records = client.db(database).collection(name, concerns)
  return {
    insert: (_id, value) => records.insertOne({ _id, value }),
    update: (_id, value) => records.updateOne({ _id }, { $set: { value } }),
    read: (_id) => records.findOne({ _id }),
    delete: (_id) => records.deleteOne({ _id }),
    remove: () => records.drop(),
  }
}

/** The methods of nano in use. */
interface Server {
  readonly db: { create(name: string): Promise<unknown>; destroy(name: string): Promise<unknown> }
  use(name: string): Database
}

interface Database {
  insert(document: object): Promise<{ readonly rev: string }>
  get(id: string): Promise<{ readonly value: string }>
  head(id: string): Promise<{ readonly etag: string }>
  destroy(id: string, rev: string): Promise<unknown>
}

/**
 * A document for each record in a database of its own, with the value in Base64. A change names the revision that an earlier answer
 * told, and asks for it where none did.
 */
export async function couchdb(native: unknown, { name }: NativePlace): Promise<Client> {
  const server = await (native as { server(): Promise<Server> }).server()
  await server.db.create(name).catch((error: { statusCode?: number }) => {
    // A process that ended has made it.
    if (error.statusCode !== 412) throw error
  })
  const records = server.use(name)
  const revisions = new Map<string, string>()
  const revisionOf = async (key: string): Promise<string> =>
    revisions.get(key) ?? (await records.head(key)).etag.replaceAll('"', '')
  const put = async (_id: string, value: Uint8Array, known: object): Promise<void> => {
    const { rev } = await records.insert({ _id, ...known, value: Buffer.from(value).toString('base64') })
    revisions.set(_id, rev)
  }
  return {
    insert: (key, value) => put(key, value, {}),
    update: async (key, value) => put(key, value, { _rev: await revisionOf(key) }),
    read: async (key) => Buffer.from((await records.get(key)).value, 'base64'),
    async delete(key) {
      await records.destroy(key, await revisionOf(key))
      revisions.delete(key)
    },
    remove: () => server.db.destroy(name),
  }
}
