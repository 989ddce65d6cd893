import { json, keyValue } from '@unikv/core'
import { postgres } from '@unikv/postgres'
import { redis } from '@unikv/redis'
import { startServers } from '@unikv/test-kit'
import { outbox, type RelayStatistics, transactional, transactions } from '@unikv/transaction'
import { keepServersToOneCore } from './measure/cores.ts'
import { printTable, writeResults } from './measure/report.ts'

// The lag of messages from their publishing to their handler, at a steady rate, and how many a second pass. Orders are in PostgreSQL; messages and the log in
// Redis. A relay that opened the stores for itself hears nothing of the publisher, as in another process.

const seconds = Number(process.env['SECONDS'] ?? 10)
const aSecond = 50
const publishers = 16

keepServersToOneCore()
const set = await startServers(['redis', 'postgres'], { args: [] })
const urls = new Map(set.servers.map(({ kind, url }) => [kind, url]))

function open(name: string) {
  const messages = redis({ url: urls.get('redis') as string, dataset: name })
  const log = keyValue(messages, [json()]).namespace('log')
  const layer = transactional({ log })
  const table = postgres({ url: urls.get('postgres') as string, table: name, prepare: true })
  const orders = keyValue(table, [json<number>(), layer])
  const events = outbox<{ changed: number }>(keyValue(messages, [json(), layer]))
  const db = transactions({ orders, events, log })
  const change = (key: string): Promise<string> =>
    db.run(async (tx) => {
      const value = await tx.orders.update(key, (count = 0) => count + 1)
      return tx.events.publish('changed', value as number, { key })
    })
  return { events, change, close: () => Promise.all([messages.close(), table.close()]) }
}

/** At a steady rate, each message of a key of its own. */
async function lagOf(name: string, relayIn: 'same' | 'other'): Promise<RelayStatistics> {
  const writer = open(name)
  const reader = relayIn === 'same' ? writer : open(name)
  // Connections are opened, and lanes made, before the first message counts.
  const first = reader.events.relay(() => {})
  await Promise.all(Array.from({ length: 64 }, (_, i) => writer.change(`first ${i}`)))
  await handedOn(first, 64)
  await first.stop()
  const relay = reader.events.relay(() => {})
  const startedAt = performance.now()
  const under: Promise<unknown>[] = []
  for (let i = 0; i < seconds * aSecond; i++) {
    const waitMs = startedAt + (i * 1000) / aSecond - performance.now()
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, waitMs)))
    under.push(writer.change(`order ${i}`))
  }
  await Promise.all(under)
  await handedOn(relay, seconds * aSecond)
  await relay.stop()
  await Promise.all([...new Set([writer, reader])].map((one) => one.close()))
  return relay.statistics()
}

/** As many as publishers and relay can, in one process. */
async function rateOf(name: string): Promise<{ readonly published: number; readonly handedOn: number }> {
  const shop = open(name)
  const startedAt = performance.now()
  const end = startedAt + seconds * 1000
  const counts = await Promise.all(
    Array.from({ length: publishers }, async (_, publisher) => {
      let count = 0
      for (; performance.now() < end; count++) await shop.change(`order ${publisher} ${count % 100}`)
      return count
    }),
  )
  const published = counts.reduce((sum, count) => sum + count, 0)
  const publishedMs = performance.now() - startedAt
  const relay = shop.events.relay(() => {})
  const relayedAt = performance.now()
  await handedOn(relay, published)
  const relayedMs = performance.now() - relayedAt
  await relay.stop()
  await shop.close()
  return { published: (published / publishedMs) * 1000, handedOn: (published / relayedMs) * 1000 }
}

async function handedOn(relay: { statistics(): RelayStatistics }, count: number): Promise<void> {
  while (relay.statistics().sent < count) await new Promise((resolve) => setTimeout(resolve, 10))
}

const same = await lagOf('same', 'same')
const other = await lagOf('other', 'other')
const rate = await rateOf('rate')
await set.stop()

const row = (name: string, { lagMs }: RelayStatistics): readonly string[] => [
  name,
  lagMs.median.toFixed(0),
  lagMs.p99.toFixed(0),
]
printTable(
  `Lag of messages, ${aSecond} a second for ${seconds} s, ms`,
  ['relay', 'median', 'p99'],
  [row('in the process of the publisher', same), row('in another one', other)],
)
printTable(
  'Messages a second',
  ['published, by 16 callers', 'handed on'],
  [[rate.published.toFixed(0), rate.handedOn.toFixed(0)]],
)
await writeResults('outbox', { aSecond, seconds, same, other, rate })
