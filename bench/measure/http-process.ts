import { serve } from '@hono/node-server'
import { type AnyStore, bytes, keyValue } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { http } from '@unikv/http'
import { listen } from '@unikv/http/node'
import { redis } from '@unikv/redis'
import { Hono } from 'hono'
import { Redis } from 'ioredis'

// One server of `bench/http`, told by its arguments: which one, and the URL of Redis. It says its address, and to each message how
// many microseconds of the processor it has taken.

/** The token of the server that asks for one. */
export const benchToken = 'a-token-of-thirty-two-characters'

/** Length of each value: 1 KB. */
const value = new Uint8Array(1024).fill(120)

/** How many records there are. */
export const records = 1000

const servers: Readonly<Record<string, (redisUrl: string) => Promise<string>>> = {
  hono: () => {
    const values = new Map(keys().map((key) => [key, value]))
    return bare(async (key) => values.get(key))
  },
  unikv: () => own(memory(), false),
  token: () => own(memory(), true),
  'hono and ioredis': async (url) => {
    const client = new Redis(url)
    await client.mset(...keys().flatMap((key) => [key, Buffer.from(value)]))
    return bare(async (key) => (await client.getBuffer(key)) ?? undefined)
  },
  'unikv and redis': (url) => own(redis({ url, dataset: 'bench' }), false),
}

const [name = '', redisUrl = ''] = process.argv.slice(2)
const start = servers[name]
if (start !== undefined) {
  process.send?.(await start(redisUrl))
  process.on('message', () => {
    const { user, system } = process.cpuUsage()
    process.send?.(user + system)
  })
}

function keys(): string[] {
  return Array.from({ length: records }, (_, i) => `key${i}`)
}

/** As one would write it by hand. */
function bare(read: (key: string) => Promise<Uint8Array | undefined>): Promise<string> {
  const app = new Hono()
  app.get('/v1/stores/bench/records/:key', async (context) => {
    const found = await read(context.req.param('key'))
    return found === undefined ? context.notFound() : context.body(found as Uint8Array<ArrayBuffer>)
  })
  return new Promise((resolve) => {
    serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) =>
      resolve(`http://127.0.0.1:${port}`),
    )
  })
}

async function own(store: AnyStore, withToken: boolean): Promise<string> {
  const kv = keyValue(store, [bytes()])
  await kv.setMany(keys().map((key) => [key, value]))
  const rights = withToken
    ? { tokens: [{ name: 'bench', token: benchToken, may: 'read' } as const] }
    : ({ unprotected: true } as const)
  const { url } = await listen(http({ bench: kv }, rights), { replaceGlobals: true })
  return url
}
