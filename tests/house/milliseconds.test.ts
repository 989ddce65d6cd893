import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { closedLoop, openLoop, verdict } from '@unikv/bench/loop'
import { runSessions } from '@unikv/bench/session'
import { openCrew, startWorker } from '@unikv/bench/workers'
import { cache, createCache, loaded } from '@unikv/cache'
import { isStoreError, json, keyValue } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { sweepDeltas } from '@unikv/delta'
import { encryption, keyring, kmsKeys, localKms, reencrypt, rekey, seal, sealStream } from '@unikv/encryption'
import { entities, entity, exponential, linear, plain } from '@unikv/entity'
import { http } from '@unikv/http'
import { listen } from '@unikv/http/node'
import { openStores } from '@unikv/manager'
import { memcached } from '@unikv/memcached'
import { fallback, mirror } from '@unikv/mirror'
import { monitor } from '@unikv/monitor'
import { recorder } from '@unikv/monitor/recorder'
import { parts, readStream, writeStream } from '@unikv/parts'
import { redis, redisPubSub, redisTracking } from '@unikv/redis'
import { resilience } from '@unikv/resilience'
import { copy } from '@unikv/snapshot'
import { sqlite } from '@unikv/sqlite'
import { syncFrom, threads } from '@unikv/sync'
import { once, outbox, saga, sql, transactional, transactions } from '@unikv/transaction'
import { tuner } from '@unikv/tuner'
import { writeBehind } from '@unikv/write-behind'
import { afterAll, expect, test } from 'vitest'

// Every option in milliseconds of every package, through numbers that are none and numbers that timers cannot take.

const packages = fileURLToPath(new URL('../../packages', import.meta.url))

type Make = (options: Record<string, unknown>) => unknown

const bytes = new Uint8Array([1])
const keys = keyring({ primary: 'a', keys: { a: Uint8Array.from({ length: 32 }, (_, i) => i) } })
const kms = { providers: localKms({ keys, id: 'local' }) }
const place = { dataset: 'd', key: 'k', keys: kmsKeys(kms) }
const none = 'file:///none.mjs'
const Note = entity('Note', { schema: plain<{ no: number }>(), id: ['no'] })
/** Nothing listens there. */
const nobody = 'redis://127.0.0.1:1'
const sealed = () => keyValue(memory(), [encryption({ keys, dataset: 'd' })])
/** Without it other options have no effect, and are refused. */
const stale = { staleIfErrorMs: 1 }
const films = () => keyValue(memory(), [parts()])
const journal = { background: () => {}, journal: memory() }
const any = (value: unknown): never => value as never

const log = () => keyValue(memory(), [json()])
const taking = (own = log()) => ({ log: own, kv: keyValue(memory(), [json(), transactional({ log: own })]) })
const steps = [{ name: 'step', run: () => {} }]
const pool = { totalCount: 0, connect: () => {}, on: () => {} }

const served = (o: object = {}) => http({ a: keyValue(memory()) }, { unprotected: true, ...o })

/** What takes the options whose names stand in a file. */
const makers: readonly (readonly [file: string, ...makes: Make[]])[] = [
  ['adapters/http/src/node/listen.ts', (o) => listen(served(), o).then((one) => one.close())],
  ['adapters/http/src/server/options.ts', (o) => served(o)],
  ['adapters/memcached/src/options.ts', (o) => memcached(any(o))],
  [
    'adapters/redis/src/options.ts',
    ({ timeoutMs, ...o }) => redis(any({ ...o, replicas: { wait: 1, timeoutMs } })),
  ],
  ['adapters/redis/src/client/redis-pub-sub.ts', (o) => redisPubSub({ channel: 'c', ...o })],
  ['adapters/redis/src/tracking/redis-tracking.ts', (o) => redisTracking(redis(), any(o))],
  ['adapters/sqlite/src/options.ts', (o) => sqlite({ path: './none.db', ...o })],
  ['core/src/key-value/call-settings.ts', (o) => keyValue(memory(), []).set('a', bytes, any(o))],
  ['core/src/key-value/open-key-value.ts', (o) => keyValue(memory(), [], any(o))],
  ['entity/src/contract/arguments.ts', (o) => entities(keyValue(memory()), [Note]).sweep(any(o))],
  ['entity/src/database/entities.ts', (o) => entities(keyValue(memory()), [Note], any(o))],
  ['entity/src/retry/linear.ts', (o) => linear(any(o))],
  ['entity/src/retry/retry-policy.ts', (o) => exponential(any(o)), (o) => linear(any(o))],
  [
    'middleware/cache/src/explicit/explicit-options.ts',
    (o) => createCache(any(o)),
    ({ freshForMs, absentForMs, timeoutMs, ...others }) =>
      Object.keys(others).length > 0
        ? createCache(any(others))
        : createCache().cached('a', () => 1, any({ freshForMs, absentForMs, timeoutMs })),
  ],
  ['middleware/cache/src/cache-options.ts', cache, (o) => cache({ store: memory(), ...o })],
  ['middleware/cache/src/entry-options.ts', cache],
  ['middleware/cache/src/loaded.ts', (o) => loaded(1, any(o))],
  [
    'middleware/cache/src/object-cache-options.ts',
    (o) => cache({ ...stale, ...o }),
    (o) => createCache({ ...stale, ...o }),
  ],
  ['middleware/cache/src/store-cache-options.ts', (o) => cache({ ...stale, store: memory(), ...o })],
  ['middleware/cache/src/warm/warm-options.ts', (o) => cache({ warm: { store: memory(), ...o } })],
  [
    'manager/src/open-manager.ts',
    async ({ timeoutMs, lingerMs }) => {
      await using manager = await openStores({ stores: { a: 'memory:' } })
      if (timeoutMs !== undefined) await manager.ready(any({ timeoutMs }))
      if (lingerMs !== undefined) await manager.reload({ stores: { a: 'memory:' } }, any({ lingerMs }))
    },
  ],
  ['core/src/adapter/beside/orphans.ts', (o) => sweepDeltas(memory(), any(o))],
  ['middleware/encryption/src/kms/kms-keys.ts', (o) => kmsKeys({ ...kms, ...o })],
  ['middleware/encryption/src/vaults/kms-seal.ts', (o) => seal(bytes, { ...place, ...o })],
  ['middleware/encryption/src/streams/streams.ts', (o) => sealStream([], any({ ...place, ...o })).next()],
  ['middleware/encryption/src/names/rekey.ts', (o) => rekey(memory(), any(o))],
  ['middleware/encryption/src/sweep/reencrypt-options.ts', (o) => reencrypt(sealed(), any(o))],
  ['middleware/mirror/src/fallback/fallback-options.ts', (o) => fallback(memory(), memory(), any(o))],
  ['middleware/mirror/src/mirror-options.ts', (o) => mirror(memory(), memory(), any(o)).close()],
  [
    'middleware/monitor/src/recorder/recorder.ts',
    (o) => recorder(monitor(), { keepIn: keyValue(memory()), ...o }).close(),
  ],
  [
    'middleware/parts/src/functions.ts',
    (o) => writeStream(films(), 'a', new Blob(['a']).stream(), any(o)),
    ({ timeoutMs, ...others }) =>
      Object.keys(others).length > 0
        ? writeStream(films(), 'a', new Blob(['a']).stream(), any(others))
        : readStream(films(), 'a', { timeoutMs: any(timeoutMs) }),
  ],
  [
    'middleware/resilience/src/options.ts',
    ({ baseMs, capMs, openMs, afterMs }) =>
      resilience(any({ retry: { baseMs, capMs }, breaker: { openMs }, hedge: { afterMs } })),
  ],
  ['middleware/write-behind/src/options.ts', (o) => writeBehind({ ...journal, ...o })],
  ['middleware/write-behind/src/write-behind.ts', (o) => writeBehind().flush(any(o))],
  [
    'bench/src/session/run/run-sessions.ts',
    (o) => runSessions(any({ benchmark: { interactions: {} }, model: {}, operations: 1, ...o })),
  ],
  ['snapshot/src/options.ts', (o) => copy(memory(), memory(), any(o))],
  ['sync/src/sync-from.ts', (o) => syncFrom(none, any(o))],
  ['sync/src/threads.ts', (o) => threads(none, any({ ...o, threads: 1 }))],
  [
    'tuner/src/run/running-tuner.ts',
    async (o) => {
      const keepIn = keyValue(memory())
      await using manager = await openStores({ stores: { a: 'memory:' }, monitor: true })
      await using tuning = tuner({ manager, keepIn })
      await tuning.pause(o)
    },
  ],
  [
    'tuner/src/tuner.ts',
    async (o) => {
      await using manager = await openStores({ stores: { a: 'memory:' }, monitor: true })
      await tuner({ manager, ...o }).close()
    },
  ],
  [
    'transaction/src/outbox/once.ts',
    (o) => transactions(taking()).run((tx) => once(any(tx.kv), 'a', any(o))),
  ],
  [
    'transaction/src/outbox/options.ts',
    (o) =>
      outbox(taking().kv)
        .relay(() => {}, any(o))
        .stop(),
  ],
  ['transaction/src/layer/transactional.ts', (o) => transactional({ log: log(), ...o })],
  ['transaction/src/recovery/pending.ts', (o) => transactions({ log: log() }).pending(any(o))],
  ['transaction/src/recovery/recover.ts', (o) => transactions({ log: log() }).recover(any(o))],
  ['transaction/src/run/view.ts', (o) => transactions(taking()).run((tx) => tx.kv.set('a', 1, any(o)))],
  ['transaction/src/saga/options.ts', (o) => saga(log(), steps, any(o))],
  ['transaction/src/saga/saga.ts', (o) => saga(log(), steps).run('a', 1, any(o))],
  ['transaction/src/sql/source.ts', (o) => sql(any(pool), any(o))],
  ['transaction/src/transactions.ts', (o) => transactions({ log: log() }, o)],
  ['bench/src/workers/crew/open-crew.ts', (o) => openCrew({ queue: nobody, ...o })],
  ['bench/src/workers/worker/options.ts', (o) => startWorker({ queue: nobody, open: () => memory(), ...o })],
  [
    'bench/src/loop/loop-account.ts',
    (o) => closedLoop(any({}), any({ operations: 1, ...o })),
    (o) => openLoop(any({}), any({ operations: 1, ...o })),
  ],
  ['bench/src/loop/verdict.ts', (o) => verdict(any({ kinds: [] }), any(o))],
]

const rows = makers.flatMap(([file, ...makes]) =>
  namesIn(file).flatMap((name) => makes.map((make) => [file, name, make] as const)),
)
const told = /must be a number of milliseconds/
const warnings: string[] = []
const heard = ({ name }: Error): void => void warnings.push(name)
process.on('warning', heard)
afterAll(() => process.off('warning', heard))

test('every option in milliseconds is here', () => {
  const files = readdirSync(packages, { recursive: true, encoding: 'utf8' })
    .filter((file) => /^[^.]*src\/.*\.ts$/.test(file) && !file.includes('node_modules'))
    .filter((file) =>
      readFileSync(join(packages, file), 'utf8').match(
        /OptionNames<|OptionsOf<\s*typeof|readCall\(|Record<keyof \w+Options/,
      ),
    )
  const named = files.filter((file) => namesIn(file).length > 0).map((file) => relative('.', file))
  expect(makers.map(([file]) => file).toSorted()).toEqual(named.toSorted())
})

test.each(rows)('%s %s: no number of milliseconds is refused', async (_, name, make) => {
  for (const wrong of [-1, Number.NaN, '5', Number.NEGATIVE_INFINITY]) {
    const error = await errorOf(make, { [name]: wrong })
    expect(error, `${wrong}`).toMatchObject({
      code: expect.stringMatching(/^INVALID_(CONFIG|ARGUMENT)$/),
      retryable: false,
      message: expect.stringMatching(told),
    })
    expect((error as Error).message).toContain(name)
  }
})

test.each(rows)('%s %s: numbers that a timer cannot take are meant, or refused', async (_, name, make) => {
  for (const given of [Number.POSITIVE_INFINITY, 2 ** 31, 0.5, 0]) {
    const error = await errorOf(make, { [name]: given })
    if (isStoreError(error) && error.code.startsWith('INVALID') && error.message.includes(name))
      expect(error.message).toMatch(told)
  }
  expect(warnings).not.toContain('TimeoutOverflowWarning')
})

function namesIn(file: string): string[] {
  const text = readFileSync(join(packages, file), 'utf8')
  const names = Array.from(
    text.matchAll(/\b(\w+Ms): (?:true|ms\(|endless\(|freshness|hedgeAfter)/g),
    ([, name]) => name as string,
  )
  // A function of milliseconds is checked as a function.
  return Array.from(new Set(names)).filter((name) => !text.includes(`${name}?: ((`))
}

async function errorOf(make: Make, options: Record<string, unknown>): Promise<unknown> {
  try {
    await make(options)
    return undefined
  } catch (error) {
    return error
  }
}
