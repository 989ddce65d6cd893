// The load of log management, for `npx unikv bench run --store lmdb:./logs --workload workload.ts`: collectors of several tenants send
// logs all the time, people look at single ones and ask for analyses, and few logs are corrected or removed.
import { defineWorkload, type OwnWorkload } from '@unikv/bench'
import { type Bytes, type KeyValue, StoreError, supports } from '@unikv/core'
import { suspects, traceOf } from './analyses.ts'
import type { Log, Logs } from './log.ts'
import { sharedStart, spanOf } from './spans.ts'

const tenants = 10
/** Logs of each tenant at the start, one a second. */
const atStart = 1_000
/** Logs that a collector sends at once. */
const sentAtOnce = 20
const firstAt = Date.parse('2026-11-30T12:00:00.000Z')

/** A collector: who sent a log may remove it. */
interface Collector {
  readonly name: string
  readonly sent: { readonly tenant: string; readonly id: string }[]
  count: number
}

const management: OwnWorkload<Collector> = defineWorkload({
  name: 'log management',
  records: tenants,
  keys: 'uniform',
  keyNames: { prefix: 'tenant' },
  operations: {
    collect: {
      weight: 40,
      run: async ({ kv, keyOf, draw, random }, collector) => {
        const tenant = keyOf(draw())
        const logs = Array.from({ length: sentAtOnce }, () =>
          made(atStart + collector.count++, collector.name, random),
        )
        await kv.namespace(tenant).setMany(logs.map(stored))
        collector.sent.push(...logs.map(({ id }) => ({ tenant, id })))
      },
    },
    look: {
      weight: 45,
      run: async ({ kv, keyOf, draw, random, miss }) => {
        const found = await kv.namespace(keyOf(draw())).get(idOf(Math.floor(random() * atStart), 'start'))
        return found === undefined ? miss : read(found)
      },
    },
    correct: {
      weight: 5,
      run: ({ kv, keyOf, draw, random }) => {
        const log = made(Math.floor(random() * atStart), 'start', random)
        return kv.namespace(keyOf(draw())).set(...stored({ ...log, level: 'debug' }))
      },
    },
    remove: {
      weight: 2,
      run: ({ kv, miss }, { sent }) => {
        const last = sent.pop()
        return last === undefined ? miss : kv.namespace(last.tenant).delete(last.id)
      },
    },
    suspects: {
      weight: 5,
      needs: ['scan'],
      run: ({ kv, keyOf, draw, random }) => suspects(logsIn(kv), keyOf(draw()), ...minutes(random)),
    },
    trace: {
      weight: 3,
      needs: ['scan'],
      run: ({ kv, keyOf, draw, random }) =>
        traceOf(logsIn(kv), keyOf(draw()), addressOf(random()), ...minutes(random)),
    },
  },
  setup: async ({ kv, keyOf, signal }) => {
    for (let i = 0; i < tenants; i++) {
      signal.throwIfAborted()
      const logs = Array.from({ length: atStart }, (_, n) =>
        made(n, 'start', () => ((n * 7919) % 1_000) / 1_000),
      )
      await kv.namespace(keyOf(i)).setMany(logs.map(stored))
    }
  },
  state: ({ index, random }) => ({ name: `${index}-${random().toString(36).slice(2)}`, sent: [], count: 0 }),
})

/** A log of a second, by who collected it. One in ten is a login that failed, of few addresses. */
function made(second: number, collector: string, random: () => number): Log {
  const isLogin = random() < 0.1
  return {
    id: idOf(second, collector),
    at: timeOf(second),
    host: `web${second % 8}`,
    application: isLogin ? 'login' : 'shop',
    level: isLogin ? 'warning' : 'info',
    address: addressOf(random()),
    message: isLogin
      ? 'login failed'
      : `GET /products/${second % 500} answered with 200 in ${second % 90} ms`,
  }
}

const timeOf = (second: number): string => new Date(firstAt + second * 1_000).toISOString()
const idOf = (second: number, collector: string): string => `${timeOf(second)}-${collector}`
const addressOf = (share: number): string => `10.0.0.${Math.floor(share * 50)}`

/** Five minutes of the start. */
function minutes(random: () => number): readonly [from: string, to: string] {
  const first = Math.floor(random() * (atStart - 300))
  return [timeOf(first), timeOf(first + 300)]
}

const stored = (log: Log): readonly [string, Bytes] => [log.id, new TextEncoder().encode(JSON.stringify(log))]
const read = (bytes: Bytes): Log => JSON.parse(new TextDecoder().decode(bytes)) as Log

/** The two questions of analyses. */
function logsIn(kv: KeyValue<string, Bytes>): Pick<Logs, 'between' | 'of'> {
  const between: Logs['between'] = async (tenant, from, to) => {
    const own = kv.namespace(tenant)
    if (!supports(own, 'scan'))
      throw new StoreError('UNSUPPORTED', 'Analyses need a store that lists its keys.')
    const found: Log[] = []
    for await (const [, { value }] of own.entries({ prefix: sharedStart(from, to) })) found.push(read(value))
    return spanOf(found, from, to)
  }
  const of: Logs['of'] = async (tenant, address, from, to) =>
    (await between(tenant, from, to)).filter((log) => log.address === address)
  return { between, of }
}

export default management // oxlint-disable-line import/no-default-export -- the command line takes the default
