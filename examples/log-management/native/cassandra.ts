import { Client, types } from 'cassandra-driver'
import type { Log, Logs } from '../log.ts'

/** Logs of a tenant and a day are a partition, and so are those of an address and a day. */
export async function logsOf(url: string, keyspace: string): Promise<Logs> {
  const { hostname, port, searchParams } = new URL(url)
  const client = new Client({
    contactPoints: [`${hostname}:${port}`],
    localDataCenter: searchParams.get('datacenter') ?? 'datacenter1',
    queryOptions: { prepare: true, consistency: types.consistencies.quorum },
  })
  await client.execute(
    `CREATE KEYSPACE IF NOT EXISTS ${keyspace} WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}`,
  )
  const fields = 'id text, at text, host text, application text, level text, address text, message text'
  await client.execute(
    `CREATE TABLE IF NOT EXISTS ${keyspace}.logs (tenant text, day text, ${fields}, PRIMARY KEY ((tenant, day), at, id))`,
  )
  await client.execute(
    `CREATE TABLE IF NOT EXISTS ${keyspace}.by_address (tenant text, day text, ${fields}, PRIMARY KEY ((tenant, address, day), at, id))`,
  )
  const names = ['tenant', 'day', 'id', 'at', 'host', 'application', 'level', 'address', 'message']
  const tables = ['logs', 'by_address'].map((name) => `${keyspace}.${name}`)
  const write = async (tenant: string, log: Log): Promise<void> => {
    const row = [tenant, dayOf(log.id), ...fieldsOf(log)]
    const places = names.map(() => '?')
    await Promise.all(
      tables.map((table) =>
        client.execute(`INSERT INTO ${table} (${names.join()}) VALUES (${places.join()})`, row),
      ),
    )
  }
  const erase = async (tenant: string, { id, at, address }: Log): Promise<void> => {
    const place = [tenant, dayOf(id), at, id]
    await client.execute(`DELETE FROM ${tables[0]} WHERE tenant = ? AND day = ? AND at = ? AND id = ?`, place)
    await client.execute(
      `DELETE FROM ${tables[1]} WHERE tenant = ? AND day = ? AND at = ? AND id = ? AND address = ?`,
      [...place, address],
    )
  }
  const log = async (tenant: string, id: string): Promise<Log | undefined> => {
    const { rows } = await client.execute(
      `SELECT * FROM ${tables[0]} WHERE tenant = ? AND day = ? AND at = ? AND id = ?`,
      [tenant, dayOf(id), atOf(id), id],
    )
    return rows[0] && logOf(rows[0])
  }
  const read = async (
    where: string,
    own: readonly string[],
    from: string,
    to: string,
  ): Promise<readonly Log[]> => {
    const found: Log[] = []
    for (const day of daysFrom(from, to)) {
      const rows = await client.execute(`SELECT * FROM ${where} AND day = ? AND at >= ? AND at < ?`, [
        ...own,
        day,
        from,
        to,
      ])
      for await (const row of rows) found.push(logOf(row))
    }
    return found
  }
  return {
    async add(tenant, logs) {
      for (let i = 0; i < logs.length; i += 64)
        await Promise.all(logs.slice(i, i + 64).map((one) => write(tenant, one)))
    },
    log,
    async correct(tenant, next) {
      const last = await log(tenant, next.id)
      if (last === undefined) return false
      await erase(tenant, last)
      await write(tenant, next)
      return true
    },
    async remove(tenant, id) {
      const last = await log(tenant, id)
      if (last !== undefined) await erase(tenant, last)
      return last !== undefined
    },
    between: (tenant, from, to) => read(`${tables[0]} WHERE tenant = ?`, [tenant], from, to),
    of: (tenant, address, from, to) =>
      read(`${tables[1]} WHERE tenant = ? AND address = ?`, [tenant, address], from, to),
    close: () => client.shutdown(),
  }
}

const dayOf = (id: string): string => id.slice(0, 10)
const atOf = (id: string): string => id.slice(0, id.lastIndexOf('-'))

function daysFrom(from: string, to: string): readonly string[] {
  const days: string[] = []
  for (let day = new Date(dayOf(from)); day.toISOString() <= to; day = new Date(day.getTime() + 86_400_000))
    days.push(dayOf(day.toISOString()))
  return days
}

function fieldsOf({ id, at, host, application, level, address, message }: Log): readonly string[] {
  return [id, at, host, application, level, address, message]
}

function logOf(row: types.Row): Log {
  const { id, at, host, application, level, address, message } = row as unknown as Log
  return { id, at, host, application, level, address, message }
}
