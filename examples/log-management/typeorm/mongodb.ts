// TypeORM on MongoDB: its repositories take the queries of MongoDB.
import type { ObjectId } from 'mongodb'
import { DataSource, EntitySchema } from 'typeorm'
import type { Log, Logs } from '../log.ts'

type Stored = Log & { readonly _id?: ObjectId; readonly tenant: string }

const text = { type: 'string' } as const
const StoredLog = new EntitySchema<Stored>({
  name: 'log',
  columns: {
    _id: { type: 'string', objectId: true, primary: true, generated: true },
    tenant: text,
    id: text,
    at: text,
    host: text,
    application: text,
    level: text,
    address: text,
    message: text,
  },
  indices: [
    { columns: ['tenant', 'id'], unique: true, sparse: false },
    { columns: ['tenant', 'at', 'id'], sparse: false },
    { columns: ['tenant', 'address', 'at', 'id'], sparse: false },
  ],
})

export async function logsOf(url: string, database: string): Promise<Logs> {
  const source = new DataSource({ type: 'mongodb', url, database, entities: [StoredLog], synchronize: true })
  await source.initialize()
  const stored = source.getMongoRepository(StoredLog)
  const order = { at: 'ASC', id: 'ASC' } as const
  return {
    async add(tenant, logs) {
      if (logs.length > 0) await stored.insertMany(logs.map((log) => ({ tenant, ...log })))
    },
    async log(tenant, id) {
      const found = await stored.findOneBy({ tenant, id })
      return found === null ? undefined : logOf(found)
    },
    async correct(tenant, { id, ...changes }) {
      const { matchedCount } = (await stored.updateOne({ tenant, id }, { $set: changes })) as {
        matchedCount: number
      }
      return matchedCount === 1
    },
    async remove(tenant, id) {
      return (await stored.deleteOne({ tenant, id })).deletedCount === 1
    },
    async between(tenant, from, to) {
      return (await stored.find({ where: { tenant, at: { $gte: from, $lt: to } }, order })).map(logOf)
    },
    async of(tenant, address, from, to) {
      return (await stored.find({ where: { tenant, address, at: { $gte: from, $lt: to } }, order })).map(
        logOf,
      )
    },
    close: () => source.destroy(),
  }
}

function logOf({ _id, tenant: _, ...log }: Stored): Log {
  return { ...log }
}
