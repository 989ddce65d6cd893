import { cassandra, prepareCassandra } from '@unikv/cassandra'
import { keyValue, newVersion } from '@unikv/core'
import driver from 'cassandra-driver'
import { type Client, type Entrants, ofKeyValue } from '../measure/entrants.ts'

const { Client, concurrent, types } = driver

const insert = `INSERT INTO unikv.native (k, record) VALUES (?, {version: ?, expires_at: ?, value: ?}) USING TTL ?`
const read = `SELECT record.version AS version, record.expires_at AS expires_at, toTimestamp(now()) AS now,
  record.value AS value FROM unikv.native WHERE k = ?`
const never = new Date(253_402_300_799_999)
const rowOf = (key: string, value: Buffer) => [
  Buffer.from(key),
  Buffer.from(newVersion(), 'hex'),
  never,
  value,
  0,
]

/** cassandra-driver with the same prepared statements at a quorum, and its own way of running many of them. */
export const overCassandra: Entrants = {
  server: 'cassandra',
  unikv: async (url) => ofKeyValue(keyValue(cassandra({ url, table: 'bench', prepare: true }))),
  native: nativeCassandra,
}

async function nativeCassandra(url: string): Promise<Client> {
  const { host, searchParams } = new URL(url)
  const client = new Client({
    contactPoints: [host],
    localDataCenter: searchParams.get('datacenter') ?? 'datacenter1',
    queryOptions: { prepare: true, consistency: types.consistencies.quorum },
  })
  await prepareCassandra({ url, table: 'native' })
  return {
    insert: (key: string, value: Buffer) => client.execute(insert, rowOf(key, value)),
    read: (key: string) => client.execute(read, [Buffer.from(key)]),
    delete: (key: string) => client.execute('DELETE FROM unikv.native WHERE k = ?', [Buffer.from(key)]),
    readMany: (keys: readonly string[]) =>
      concurrent.executeConcurrent(
        client,
        read,
        keys.map((key) => [Buffer.from(key)]),
        { collectResults: true },
      ),
    insertMany: (entries: readonly (readonly [string, Buffer])[]) =>
      concurrent.executeConcurrent(
        client,
        insert,
        entries.map(([key, value]) => [...rowOf(key, value)]),
      ),
    close: () => client.shutdown(),
  }
}
