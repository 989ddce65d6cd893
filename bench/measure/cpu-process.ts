import { keyValue, newVersion } from '@unikv/core'
import { decodeRecord, encodeRecord } from '@unikv/core/adapter'
import { redis } from '@unikv/redis'
import { Redis } from 'ioredis'

// One client in a process of its own: `cpu-process.js unikv <url>`. It answers each order with the processor time that
// a call takes in this process, all threads together.

/** An order. */
export interface CpuOrder {
  readonly operation: 'read' | 'insert'
  /** Calls under way at the same time. */
  readonly callers: number
  readonly durationMs: number
}

/** The answer to an order: means of all calls. */
export interface CpuRound {
  readonly cpuUs: number
  readonly opsPerSecond: number
}

const keyCount = 2_000
const value = Buffer.alloc(1_000, 'x')

interface Client {
  insert(key: string, value: Buffer): Promise<unknown>
  read(key: string): Promise<unknown>
}

const [side = '', url = ''] = process.argv.slice(2)
const client = side === 'native' ? native(new Redis(url)) : unikv()
for (let i = 0; i < keyCount; i++) await client.insert(keyOf(i), value)

// It ends with who started it, however that ends.
process.once('disconnect', () => process.exit())
process.on('message', async (order: CpuOrder) => process.send?.(await roundOf(order)))
process.send?.('ready')

async function roundOf({ operation, callers, durationMs }: CpuOrder): Promise<CpuRound> {
  const call = (i: number): unknown =>
    operation === 'read' ? client.read(keyOf(i)) : client.insert(keyOf(i), value)
  let calls = 0
  const startedAt = performance.now()
  const before = process.cpuUsage()
  await Promise.all(
    Array.from({ length: callers }, async () => {
      while (performance.now() < startedAt + durationMs) await call(calls++)
    }),
  )
  const { user, system } = process.cpuUsage(before)
  return { cpuUs: (user + system) / calls, opsPerSecond: calls / ((performance.now() - startedAt) / 1_000) }
}

function unikv(): Client {
  const kv = keyValue(redis({ url }))
  return { insert: (key, bytes) => kv.set(key, bytes), read: (key) => kv.get(key) }
}

/** ioredis on values with their versions. */
function native(ioredis: Redis): Client {
  return {
    insert: (key, bytes) => ioredis.set(key, encodeRecord(bytes, newVersion(), undefined)),
    read: async (key) => decodeRecord((await ioredis.getBuffer(key)) as Buffer),
  }
}

function keyOf(i: number): string {
  return `key ${i % keyCount}`
}
