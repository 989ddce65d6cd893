import { MongoClient } from 'mongodb'
import type { Log, Logs } from '../log.ts'

type Stored = Log & { readonly tenant: string }

export async function logsOf(url: string, database: string): Promise<Logs> {
  const client = new MongoClient(url)
  const stored = client.db(database).collection<Stored>('logs')
  await stored.createIndex({ tenant: 1, id: 1 }, { unique: true })
  await stored.createIndex({ tenant: 1, at: 1, id: 1 })
  await stored.createIndex({ tenant: 1, address: 1, at: 1, id: 1 })
  const projection = { _id: 0, tenant: 0 } as const
  const inOrder = { at: 1, id: 1 } as const
  return {
    async add(tenant, logs) {
      if (logs.length > 0) await stored.insertMany(logs.map((log) => ({ tenant, ...log })))
    },
    async log(tenant, id) {
      return (await stored.findOne({ tenant, id }, { projection })) ?? undefined
    },
    async correct(tenant, log) {
      return (await stored.replaceOne({ tenant, id: log.id }, { tenant, ...log })).matchedCount === 1
    },
    async remove(tenant, id) {
      return (await stored.deleteOne({ tenant, id })).deletedCount === 1
    },
    between: (tenant, from, to) =>
      stored
        .find({ tenant, at: { $gte: from, $lt: to } }, { projection })
        .sort(inOrder)
        .toArray(),
    of: (tenant, address, from, to) =>
      stored
        .find({ tenant, address, at: { $gte: from, $lt: to } }, { projection })
        .sort(inOrder)
        .toArray(),
    close: () => client.close(),
  }
}
