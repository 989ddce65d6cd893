import { mkdtemp, readFile, rename, rm, unlink, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { keyValue } from '@unikv/core'
import { file } from '@unikv/file'
import { lmdb } from '@unikv/lmdb'
import { mysql } from '@unikv/mysql'
import { redis } from '@unikv/redis'
import { startServer } from '@unikv/test-kit'
import { Redis } from 'ioredis'
import { createPool } from 'mysql2/promise'
import { closedLoop } from './measure/closed-loop.ts'
import { printTable, times, writeResults } from './measure/report.ts'
import { interleaved, type Outcome } from './measure/rounds.ts'

// What does one call cost more than the same statement of the native client? One call at a time, values of 1 KB;
// insert, read, update and delete as in the data access middleware study. Ratios to the native client.

const rounds = Number(process.env['ROUNDS'] ?? 5)
const durationMs = Number(process.env['DURATION_MS'] ?? 300)
// Different from write to write: a server may skip an update that changes nothing.
let writes = 0
const values = Array.from({ length: 64 }, (_, i) => Buffer.alloc(1000, String(i)))
const nextValue = (): Buffer => values[writes++ % 64] as Buffer
const keyCount = 5_000
const keyOf = (i: number): string => `user:${(i * 7919) % keyCount}`

/** The four operations of one client. A key that is deleted may be missing, and one that is inserted present. */
interface Operations {
  readonly insert: (key: string) => Promise<unknown>
  readonly read: (key: string) => Promise<unknown>
  readonly delete: (key: string) => Promise<unknown>
}

const results: { store: string; operation: string; outcomes: readonly Outcome[] }[] = []
const rows: string[][] = []

async function compare(store: string, native: Operations, unikv: Operations): Promise<void> {
  for (let i = 0; i < keyCount; i++) await Promise.all([native.insert(keyOf(i)), unikv.insert(keyOf(i))])
  // Reads and updates find their keys; inserts make new ones, which the deletes remove.
  let inserted = 0
  const steps: Readonly<Record<string, (client: Operations) => (i: number) => Promise<unknown>>> = {
    read: (client) => (i) => client.read(keyOf(i)),
    update: (client) => (i) => client.insert(keyOf(i)),
    insert: (client) => () => client.insert(`new:${inserted++}`),
    delete: (client) => (i) => client.delete(`new:${i}`),
  }
  for (const [operation, step] of Object.entries(steps)) {
    const contestants = [
      { name: 'native', run: () => closedLoop(step(native), 1, durationMs) },
      { name: 'unikv', run: () => closedLoop(step(unikv), 1, durationMs) },
    ]
    const outcomes = await interleaved(contestants, rounds)
    results.push({ store, operation, outcomes })
    const [base, own] = outcomes as [Outcome, Outcome]
    const difference = (own.p50Us - base.p50Us).toFixed(1)
    rows.push([
      `${store} ${operation}`,
      base.p50Us.toFixed(1),
      own.p50Us.toFixed(1),
      difference,
      times(own.latencyRatio),
    ])
  }
}

function ofKeyValue(kv: {
  set(key: string, value: Uint8Array): Promise<unknown>
  get(key: string): Promise<unknown>
  delete(key: string): Promise<unknown>
}): Operations {
  return {
    insert: (key) => kv.set(key, nextValue()),
    read: (key) => kv.get(key),
    delete: (key) => kv.delete(key),
  }
}

async function overRedis(): Promise<void> {
  await using server = await startServer('redis')
  const client = new Redis(server.url)
  await using kv = keyValue(redis({ url: server.url }))
  const native = {
    insert: (key: string) => client.set(key, nextValue()),
    read: (key: string) => client.getBuffer(key),
    delete: (key: string) => client.unlink(key),
  }
  await compare('Redis', native, ofKeyValue(kv))
  client.disconnect()
}

async function overMariaDb(): Promise<void> {
  await using server = await startServer('mariadb')
  const pool = createPool({ uri: server.url, connectionLimit: 10 })
  await pool.query('CREATE TABLE native (k VARBINARY(255) PRIMARY KEY, v LONGBLOB NOT NULL)')
  await using kv = keyValue(mysql({ url: server.url, table: 'bench', prepare: true }))
  const upsert = 'INSERT INTO native VALUES (?, ?) ON DUPLICATE KEY UPDATE v = VALUES(v)'
  const native = {
    insert: (key: string) => pool.execute(upsert, [key, nextValue()]),
    read: (key: string) => pool.execute('SELECT v FROM native WHERE k = ?', [key]),
    delete: (key: string) => pool.execute('DELETE FROM native WHERE k = ?', [key]),
  }
  await compare('MariaDB', native, ofKeyValue(kv))
  await pool.end()
}

interface NativeLmdb {
  put(key: string, value: Uint8Array): Promise<boolean>
  remove(key: string): Promise<boolean>
  getBinary(key: string): Buffer | undefined
  close(): Promise<void>
  readonly flushed: PromiseLike<unknown>
}

/** By `require`, as the types of lmdb do not pass without `skipLibCheck`. */
function openNative(path: string): NativeLmdb {
  const driver = createRequire(import.meta.url)('lmdb') as { open(options: object): NativeLmdb }
  return driver.open({ path, encoding: 'binary' })
}

async function overLmdb(folder: string): Promise<void> {
  const database = openNative(join(folder, 'native'))
  await using kv = keyValue(lmdb({ path: join(folder, 'unikv') }))
  const native = {
    // As `lmdb` does: acknowledged when it is flushed.
    insert: (key: string) => database.put(key, nextValue()).then(() => database.flushed),
    read: async (key: string) => database.getBinary(key),
    delete: (key: string) => database.remove(key).then(() => database.flushed),
  }
  await compare('LMDB', native, ofKeyValue(kv))
  await database.close()
}

async function overFiles(folder: string): Promise<void> {
  await using kv = keyValue(file({ directory: join(folder, 'files'), durability: 'buffered' }))
  const pathOf = (key: string): string => join(folder, encodeURIComponent(key))
  const native = {
    insert: async (key: string) => {
      await writeFile(`${pathOf(key)}.tmp`, nextValue())
      await rename(`${pathOf(key)}.tmp`, pathOf(key))
    },
    read: (key: string) => readFile(pathOf(key)),
    delete: (key: string) => unlink(pathOf(key)).catch(() => {}),
  }
  await compare('files', native, ofKeyValue(kv))
}

const folder = await mkdtemp(join(tmpdir(), 'unikv-overhead-'))
try {
  await overRedis()
  await overMariaDb()
  await overLmdb(folder)
  await overFiles(folder)
} finally {
  await rm(folder, { recursive: true, force: true })
}
printTable(
  'One call at a time, medians',
  ['store, operation', 'native µs', 'unikv µs', 'overhead µs', 'ratio'],
  rows,
)
await writeResults('overhead', results)
