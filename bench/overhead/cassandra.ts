import { cassandra, prepareCassandra } from '@unikv/cassandra'
import { keyValue, newVersion } from '@unikv/core'
import { startServer } from '@unikv/test-kit'
import driver from 'cassandra-driver'
import { type Entrants, ofKeyValue } from '../measure/overhead.ts'

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
export async function overCassandra(): Promise<Entrants> {
  const server = await startServer('cassandra')
  const { host, searchParams } = new URL(server.url)
  const client = new Client({
    contactPoints: [host],
    localDataCenter: searchParams.get('datacenter') ?? 'datacenter1',
    queryOptions: { prepare: true, consistency: types.consistencies.quorum },
  })
  const kv = keyValue(cassandra({ url: server.url, table: 'bench', prepare: true }))
  await kv.get('nothing')
  await prepareCassandra({ url: server.url, table: 'native' })
  const native = {
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
  }
  const close = async (): Promise<void> => {
    await client.shutdown()
    await kv.close()
    await server.stop()
  }
  return { native, unikv: ofKeyValue(kv), close }
}
