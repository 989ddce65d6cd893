// TypeORM on PostgreSQL.
import { And, DataSource, EntitySchema, LessThan, MoreThanOrEqual } from 'typeorm'
import type { Log, Logs } from '../log.ts'

type Stored = Log & { readonly tenant: string }

const text = { type: 'text', collation: 'C' } as const
const StoredLog = new EntitySchema<Stored>({
  name: 'log',
  columns: {
    tenant: { ...text, primary: true },
    id: { ...text, primary: true },
    at: text,
    host: text,
    application: text,
    level: text,
    address: text,
    message: text,
  },
  indices: [{ columns: ['tenant', 'at', 'id'] }, { columns: ['tenant', 'address', 'at', 'id'] }],
})

export async function logsOf(url: string, prefix: string): Promise<Logs> {
  const source = new DataSource({
    type: 'postgres',
    url,
    entityPrefix: `${prefix}_`,
    entities: [StoredLog],
    synchronize: true,
  })
  await source.initialize()
  const stored = source.getRepository(StoredLog)
  const span = (from: string, to: string) => And(MoreThanOrEqual(from), LessThan(to))
  const order = { at: 'ASC', id: 'ASC' } as const
  return {
    async add(tenant, logs) {
      for (let i = 0; i < logs.length; i += 1_000)
        await stored.insert(logs.slice(i, i + 1_000).map((log) => ({ tenant, ...log })))
    },
    async log(tenant, id) {
      const found = await stored.findOneBy({ tenant, id })
      return found === null ? undefined : logOf(found)
    },
    async correct(tenant, { id, ...changes }) {
      return (await stored.update({ tenant, id }, changes)).affected === 1
    },
    async remove(tenant, id) {
      return (await stored.delete({ tenant, id })).affected === 1
    },
    async between(tenant, from, to) {
      return (await stored.find({ where: { tenant, at: span(from, to) }, order })).map(logOf)
    },
    async of(tenant, address, from, to) {
      return (await stored.find({ where: { tenant, address, at: span(from, to) }, order })).map(logOf)
    },
    close: () => source.destroy(),
  }
}

function logOf({ tenant: _, ...log }: Stored): Log {
  return { ...log }
}
