import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { inspect } from 'node:util'
import { compose, isStoreError, json, type KeyValue, passThrough } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import type { Monitor } from '@unikv/monitor'
import { keptHistory } from '@unikv/monitor/recorder'
import { afterAll, describe, expect, expectTypeOf, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { defineConfig, findConfig, loadConfig, openHistory, openStore, openStores } from '../src/index.ts'

const folder = await mkdtemp(join(tmpdir(), 'unikv-manager-'))
afterAll(() => rm(folder, { recursive: true, force: true }))

const User = z.object({ name: z.string() })

/** The code of an error, and the store that it names. */
async function codeAndStore(call: Promise<unknown>): Promise<unknown> {
  const error = await call.catch((reason: unknown) => reason)
  return isStoreError(error) ? [error.code, error.store] : error
}

test('variables are numbers and booleans where no text is taken', async () => {
  const config = {
    stores: {
      users: {
        url: 'memory:',
        dataset: '${NUMBER}',
        timeoutMs: '${TIMEOUT:-500}',
        monitored: '${FALSE}',
        layers: [{ cache: { maxEntries: '${NUMBER}', freshForMs: '${FRESH:-1000}' } }, 'json'],
      },
      other: 'memory:',
      third: 'memory:',
      both: { fallback: { primary: 'other', secondary: 'third', afterMs: '${NUMBER}' } },
    },
    monitor: '${MONITOR:-true}',
  }
  const environment = { NUMBER: '12', FALSE: 'false' }
  await using manager = await openStores(config as never, { environment })
  expect(manager.monitor).toBeDefined()
  expect((await manager.ready()).isReady).toBe(true)
  const wrong = openStores(config as never, { environment: { NUMBER: 'twelve', FALSE: 'false' } })
  await expect(wrong).rejects.toThrow(/stores\.users\.layers\[0\]\.cache: .*maxEntries/)
})

test('relative paths count from the folder of the file, also by its URL and for files of variables', async () => {
  const there = await mkdtemp(join(folder, 'a b%'))
  await writeFile(join(there, 'name'), 'data\n')
  await writeFile(
    join(there, 'unikv.config.yaml'),
    'stores: { a: "lmdb:./${file:name}?dataset=x", b: lmdb:other }\n',
  )
  for (const file of [join(there, 'unikv.config.yaml'), pathToFileURL(join(there, 'unikv.config.yaml'))]) {
    await using manager = await openStores(await loadConfig(file))
    await manager.stores['a']!.set('k', Buffer.from('v'))
    await manager.stores['b']!.set('k', Buffer.from('v'))
  }
  expect((await readdir(there)).toSorted()).toEqual(['data', 'name', 'other', 'unikv.config.yaml'])
})

test.each([
  'stores:\n  a:\n    - url: memory:\n',
  'stores: { a: { url: memory:, layers: [json] } }',
  'stores: { a: memory: }',
])('a URL that YAML takes for a name is told to be put in quotes: %j', async (text) => {
  await writeFile(join(folder, 'unquoted.yaml'), text)
  await expect(
    loadConfig(join(folder, 'unquoted.yaml')).then((config) => openStores(config)),
  ).rejects.toThrow(/Write it in quotes: "memory:"\.$/)
})

test('stores of a configuration have the types that it says', async () => {
  const config = defineConfig({
    stores: {
      users: { url: 'memory:', layers: ['cache', json(User)] },
      notes: { url: 'memory:', layers: ['text'] },
      blobs: 'memory:',
      admins: { from: 'users', namespace: 'admins' },
    },
  })
  await using manager = await openStores(config)
  const { users, notes, blobs } = manager.stores
  await users.set('ada', { name: 'Ada' })
  await notes.set('today', 'hello', { ttlMs: 60_000 })
  await blobs.set('x', Buffer.from('x'))
  expect(await users.get('ada')).toEqual({ name: 'Ada' })
  expectTypeOf(await users.get('ada')).toEqualTypeOf<{ name: string } | undefined>()
  expectTypeOf(await notes.get('today')).toEqualTypeOf<string | undefined>()
  expectTypeOf(await blobs.get('x')).toExtend<Uint8Array | undefined>()
  expectTypeOf(await manager.stores.admins.get('ada')).toEqualTypeOf<{ name: string } | undefined>()
})

test('layers, tiers, journals, mirrors and shared stores stand where the configuration says', async () => {
  const key = randomBytes(32).toString('base64')
  await using manager = await openStores(
    {
      stores: {
        main: 'memory:',
        copy: `lmdb:${join(folder, 'copy')}`,
        near: { url: 'memory:', layers: [] },
        journal: `lmdb:${join(folder, 'journal')}`,
        sealed: {
          url: 'memory:',
          layers: [
            'json',
            { compression: { withEncryption: true } },
            { encryption: { dataset: 'sealed', keys: { primary: 'k1', keys: { k1: '${SEALED_KEY}' } } } },
            { resilience: { retry: { attempts: 2 } } },
            'openTelemetry',
          ],
        },
        tiered: { from: 'main', namespace: 'tiered', layers: ['json', { tier: { store: 'near' } }] },
        queued: {
          from: 'main',
          namespace: 'queued',
          layers: ['text', { writeBehind: { journal: 'journal', background: true } }],
        },
        both: { mirror: { primary: 'main', secondary: 'copy' }, layers: ['text'] },
      },
    },
    { environment: { SEALED_KEY: key } },
  )
  const { sealed, tiered, queued, both, copy, main } = manager.stores as unknown as Record<
    string,
    KeyValue<string, unknown>
  >
  await sealed?.set('a', { secret: 'x'.repeat(1000) })
  expect(await sealed?.get('a')).toEqual({ secret: 'x'.repeat(1000) })
  await tiered?.set('a', 1)
  expect(await tiered?.get('a')).toBe(1)
  await queued?.set('a', 'later')
  await both?.set('m', 'twice')
  expect(Buffer.from((await copy?.get('m')) as Uint8Array).toString()).toBe('twice')
  expect(await main?.namespace('tiered').get('a')).toBeDefined()
  await manager.close()
})

test('each store has its own name in errors and figures, also where it shares a place or comes from the program', async () => {
  await using manager = await openStores({
    stores: {
      main: 'memory:',
      part: { from: 'main', namespace: 'part' },
      one: { store: memory() },
      two: { store: memory() },
      both: { mirror: { primary: 'one', secondary: 'two' } },
    },
    monitor: true,
  })
  const value = Buffer.from('x')
  for (const name of ['part', 'one', 'both'] as const) {
    await manager.stores[name].set('a', value)
    expect(await codeAndStore(manager.stores[name].get(''))).toEqual(['INVALID_KEY', name])
  }
  const { stores } = (manager.monitor as Monitor).snapshot()
  const sets = Object.entries(stores).map(([name, { set }]) => [name, set?.calls ?? 0] as const)
  expect(sets.filter(([, count]) => count > 0)).toEqual(['part', 'one', 'both'].map((name) => [name, 1]))
})

test('what was opened is closed when a later step fails', async () => {
  const closed: string[] = []
  const closing = (name: string) => {
    const note = passThrough('note', { wrap: () => ({ close: async () => void closed.push(name) }) })
    return compose(memory(), [note])
  }
  const stores = {
    one: { store: closing('one') },
    two: { store: closing('two'), layers: ['text', 'text'] },
  } as const
  await expect(openStores({ stores })).rejects.toThrow('stores.two.layers: Wrong order')
  expect(closed.toSorted()).toEqual(['one', 'two'])
})

test('what one name uses is closed in order, also where another part cannot be', async () => {
  const closed: string[] = []
  const closing = (name: string, failure?: Error) => {
    const close = async (): Promise<void> => {
      closed.push(name)
      if (failure !== undefined) throw failure
    }
    return compose(memory(), [passThrough('closing', { wrap: () => ({ close }) })])
  }
  const failure = new Error('It does not close.')
  const stores = {
    one: { store: closing('one') },
    two: { store: closing('two', failure) },
    both: { mirror: { primary: 'one', secondary: 'two' } },
  } as const
  const { close } = await openStore({ stores }, 'both')
  await expect(close()).rejects.toMatchObject({ store: 'two', cause: failure })
  expect(closed.toSorted()).toEqual(['one', 'two'])
})

test.each(['file', 'lmdb'])('two names of one folder of %s are refused, also by a link', async (kind) => {
  const [real, alias] = [join(folder, `${kind}-real`), join(folder, `${kind}-alias`)]
  await mkdir(real)
  await symlink(real, alias)
  const opened = openStores({ stores: { one: `${kind}:${real}`, two: `${kind}:${alias}` } })
  await expect(opened).rejects.toThrow('stores.two: its records are those of one.')
  const pair = { url: `${kind}:${alias}`, dataset: 'other' }
  await (await openStores({ stores: { one: `${kind}:${real}`, two: pair } })).close()
})

test('stores close at the same time, but each after those that use it', async () => {
  const order: string[] = []
  let begun = (): void => {}
  const bothBegun = new Promise<void>((resolve) => {
    begun = () => void (order.length === 2 && resolve())
  })
  /** Ends its closing only when another one has begun as well. */
  const waiting = (name: string) => {
    const close = async (): Promise<void> => {
      order.push(name)
      begun()
      await bothBegun
    }
    return compose(memory(), [passThrough('waiting', { wrap: () => ({ close }) })])
  }
  const manager = await openStores({
    stores: {
      one: { store: waiting('one') },
      two: { store: waiting('two') },
      part: { from: 'one' },
      kept: 'memory:',
    },
    monitor: { keepIn: 'kept' },
  })
  await manager.close()
  expect(order.toSorted()).toEqual(['one', 'two'])
})

describe('monitor', () => {
  test.each([{ from: 'main', namespace: 'figures' }, { mirror: { primary: 'main', secondary: 'other' } }])(
    'figures that are kept in a part of another store do not count themselves: %j',
    async (metrics) => {
      const stores = { main: 'memory:', other: 'memory:', metrics } as const
      await using manager = await openStores({ stores, monitor: { keepIn: 'metrics' } })
      await manager.recorder?.flush()
      await manager.recorder?.flush()
      expect(manager.recorder?.window('5s').frame).toEqual({})
    },
  )

  test('history of an earlier process goes on, and the store that keeps it is not counted', async () => {
    const config = {
      stores: { users: { url: 'memory:', layers: ['json'] }, metrics: `lmdb:${join(folder, 'metrics')}` },
      monitor: { keepIn: 'metrics' },
    } as const
    for (let run = 0; run < 2; run++) {
      const { stores, close } = await openStores(config)
      await stores.users.set('ada', run)
      await stores.users.get('ada')
      await close()
    }
    await using reader = await openStores({ stores: { metrics: config.stores.metrics } })
    const points = await keptHistory(reader.stores.metrics).history({ resolution: 'day' })
    expect(points.map(({ store, operation, calls, bytes }) => [store, operation, calls, bytes])).toEqual([
      ['users', 'read', 2, 2],
      ['users', 'set', 2, 2],
    ])
  })
})

test('readiness names the stores that do not answer; closing closes all', async () => {
  const manager = await openStores({
    stores: { users: 'memory:', far: 'redis://127.0.0.1:1', given: { store: memory() } },
  })
  const health = await manager.ready({ timeoutMs: 500 })
  expect(health).toMatchObject({
    isReady: false,
    stores: { users: { isReady: true }, far: { isReady: false } },
  })
  await manager.close()
  expect(manager.live).toBe(false)
  await expect(manager.stores.users.get('x')).rejects.toMatchObject({ code: 'CLOSED' })
})

test('figures that cannot be kept are a warning, told once, and named when all is closed', async () => {
  const warnings: string[] = []
  const note = (warning: Error): void => void warnings.push(warning.message)
  process.on('warning', note)
  onTestFinished(() => void process.off('warning', note))
  const stores = { users: 'memory:', far: 'redis://127.0.0.1:1' } as const
  const {
    close,
    recorder,
    stores: opened,
  } = await openStores({ stores, monitor: { keepIn: 'far', flushMs: 100 } })
  await opened.users.set('x', Buffer.from('x'))
  await expect.poll(() => warnings.length, { timeout: 30_000 }).toBeGreaterThan(0)
  await expect(recorder?.flush()).rejects.toThrow('could not be reached')
  await expect(close()).rejects.toThrow('Not closed in order: the figures of the monitor.')
  expect(warnings).toHaveLength(1)
  expect(warnings[0]).toContain('Figures of the monitor could not be kept')
})

test.each<[string, () => Promise<unknown>, string]>([
  [
    'an option of openStores',
    () => openStores({ stores: { a: 'memory:' } }, { enviroment: {} } as never),
    'environment',
  ],
  ['no options', () => openStores({ stores: { a: 'memory:' } }, null as never), 'null'],
  [
    'a single store without a name',
    () => openStore({ stores: { users: 'memory:' } }, undefined as never),
    'takes a configuration and a name, got undefined.',
  ],
  [
    'a single store that is not there',
    () => openStore({ stores: { users: 'memory:' } }, 'user'),
    "Did you mean 'users'?",
  ],
  [
    'a history that is not kept',
    () => openHistory({ stores: { a: 'memory:' } }),
    'monitor: it keeps no figures.',
  ],
  ['a file that is not there', () => loadConfig('nope.yaml'), 'nope.yaml: there is no such file.'],
  [
    'a folder with two configurations',
    async () => {
      const own = await mkdtemp(join(folder, 'two-'))
      for (const ending of ['mjs', 'yaml']) await writeFile(join(own, `unikv.config.${ending}`), '')
      findConfig(own)
    },
    'it has several configurations: unikv.config.mjs, unikv.config.yaml. Keep one',
  ],
  ['a folder', () => loadConfig(folder), 'it is a folder, not a file.'],
])('%s is refused', async (_, act, words) => {
  await expect(act()).rejects.toThrow(words)
})

test.each([
  [
    'json',
    '{ "stores": { "a": "redis://:hunter2@h", "a": "memory:" } }',
    'an option is there twice (line 1).',
  ],
  ['json', '{ "stores": {} // hunter2\n}', 'it is not JSON'],
  ['yaml', 'stores:\n  a: !env hunter2', 'the tag on line 2 has no meaning here.'],
  ['yaml', 'stores:\n  a: !hunter2 x', 'the tag on line 2 has no meaning here.'],
  ['yaml', 'stores:\n  a: *hunter2', 'it is not YAML: Unresolved alias'],
  ['yaml', 'stores:\n  a: "redis://:hunter2@h\n  b: c', 'it is not YAML: Missing closing "quote (line 3).'],
  ['yaml', 'stores: {}\n---\nstores: {}', 'it has several documents.'],
  ['yaml', '', 'the file is empty.'],
  ['toml', 'stores = "hunter2"', 'its name must end with one of ts, mts,'],
])('a wrong file in %s is refused by its place, without its text: %j', async (ending, text, words) => {
  const file = join(await mkdtemp(join(folder, 'wrong-')), `own.${ending}`)
  await writeFile(file, text)
  const error = await loadConfig(file).then(
    () => undefined,
    (reason: Error) => reason,
  )
  expect(error?.message).toContain(`own.${ending}: ${words}`)
  expect(inspect(error)).not.toContain('hunter2')
})

test.each([
  ['ts', "enum Kind { a = 'memory:' }\nexport default { stores: { a: Kind.a as string } }"],
  ['mjs', "export default { stores: { a: 'memory:' } }"],
  ['json', '{ "$schema": "x", "stores": { "a": "memory:" } }'],
  ['cjs', "exports.__esModule = true; exports.default = { stores: { a: 'memory:' } }"],
  ['yaml', '\ufeffstores:\r\n  a: &own { url: "memory:" }\r\n'],
])('a configuration in .%s is found and opened', async (ending, text) => {
  const own = await mkdtemp(join(folder, 'config-'))
  const file = join(own, `unikv.config.${ending}`)
  await writeFile(file, text)
  expect(findConfig(own)).toBe(file)
  const { stores, close } = await openStores(await loadConfig(file))
  expect(Object.keys(stores)).toEqual(['a'])
  await close()
})

test('opening connects to nothing', async () => {
  const { close } = await openStores({ stores: { far: 'redis://192.0.2.1', db: 'postgres://192.0.2.1/db' } })
  await close()
})
