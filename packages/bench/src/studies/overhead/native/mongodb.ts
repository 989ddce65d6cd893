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

/** The concerns that unikv has unless it is told otherwise, so that both wait for the same. */
const concerns = { writeConcern: { w: 'majority', journal: true }, readConcern: { level: 'majority' } }

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
