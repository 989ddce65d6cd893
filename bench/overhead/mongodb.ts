import { keyValue, newVersion } from '@unikv/core'
import { mongodb } from '@unikv/mongodb'
import { MongoClient } from 'mongodb'
import { type Client, type Entrants, ofKeyValue } from '../measure/entrants.ts'

interface Shape {
  readonly _id: string
  readonly version: string
  readonly expiresAt?: Date
  readonly value: Buffer
}

/** What is there and has not expired by the server's clock. */
const live = (_id: object) => [
  { $match: { _id } },
  { $match: { $or: [{ expiresAt: null }, { $expr: isLive }] } },
]
const isLive = {
  $gt: [
    { $convert: { input: '$expiresAt', to: 'long', onNull: Number.MAX_SAFE_INTEGER, onError: 0 } },
    { $toLong: '$$NOW' },
  ],
}

/** The driver's own methods on a collection of the same records, with the same write and read concerns, and `bulkWrite` for many. */
export const overMongodb: Entrants = {
  server: 'mongodb',
  unikv: async (url) => ofKeyValue(keyValue(mongodb({ url, collection: 'bench', prepare: true }))),
  native: nativeMongodb,
}

async function nativeMongodb(url: string): Promise<Client> {
  const client = await new MongoClient(url, {
    retryWrites: false,
    retryReads: false,
    maxPoolSize: 20,
    writeConcern: { w: 'majority', journal: true },
    readConcernLevel: 'majority',
  }).connect()
  const records = client.db('unikv').collection<Shape>('native')
  await records.createIndex({ expiresAt: 1 }, { expireAfterSeconds: 0, sparse: true })
  return {
    insert: (key: string, value: Buffer) =>
      records.replaceOne({ _id: key }, { version: newVersion(), value }, { upsert: true }),
    read: (key: string) => records.aggregate([...live({ $eq: key })]).next(),
    delete: (key: string) => records.deleteOne({ _id: key }),
    readMany: (keys: readonly string[]) => records.aggregate([...live({ $in: keys })]).toArray(),
    insertMany: (entries: readonly (readonly [string, Buffer])[]) =>
      records.bulkWrite(
        entries.map(([_id, value]) => ({
          replaceOne: { filter: { _id }, replacement: { version: newVersion(), value }, upsert: true },
        })),
        { ordered: false },
      ),
    close: () => client.close(),
  }
}
