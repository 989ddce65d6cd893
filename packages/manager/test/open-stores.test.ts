import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { json, type KeyValue, StoreError } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { keptHistory } from '@unikv/monitor/recorder'
import { afterAll, describe, expect, expectTypeOf, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { defineConfig, findConfig, loadConfig, openHistory, openStore, openStores } from '../src/index.ts'

const folder = await mkdtemp(join(tmpdir(), 'unikv-manager-'))
afterAll(() => rm(folder, { recursive: true, force: true }))

const User = z.object({ name: z.string() })

test('stores of a configuration have the types that it says', async () => {
  const config = defineConfig({
    stores: {
      users: { url: 'memory:', layers: ['cache', json(User)] },
      notes: { url: 'memory:', layers: ['text'] },
      blobs: 'memory:',
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
  const { sealed, tiered, queued, both, copy, main, near } = manager.stores as unknown as Record<
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
  expect(near).toBeDefined()
  await manager.close()
})

describe('monitor', () => {
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
  const broken = { ...memory(), name: 'broken' }
  const manager = await openStores({
    stores: { users: 'memory:', far: 'redis://127.0.0.1:1', given: { store: memory() } },
  })
  const health = await manager.ready({ timeoutMs: 500 })
  expect(health).toMatchObject({
    isReady: false,
    stores: { users: { isReady: true }, far: { isReady: false } },
  })
  expect(broken.name).toBe('broken')
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
  ['a folder', () => loadConfig(folder), 'it is a folder, not a file.'],
])('%s is refused', async (_, act, words) => {
  await expect(act()).rejects.toThrow(words)
})

test.each([
  ['ts', "enum Kind { a = 'memory:' }\nexport default { stores: { a: Kind.a as string } }"],
  ['mjs', "export default { stores: { a: 'memory:' } }"],
  ['json', '{ "stores": { "a": "memory:" } }'],
  ['yaml', 'stores: { a: "memory:" }'],
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

test.each<[string, unknown, string]>([
  ['no object', 'memory:', 'The configuration: it must be an object with `stores`, got a string.'],
  ['no stores', {}, 'stores: it must be an object, got undefined.'],
  ['empty stores', { stores: {} }, 'stores: it is empty. Name at least one store.'],
  [
    'an unknown section',
    { stores: { a: 'memory:' }, monitr: true },
    "The configuration: there is no option 'monitr' here. Did you mean 'monitor'?",
  ],
  ['a number for a store', { stores: { a: 5 } }, 'stores.a: it must be an object, got a number.'],
  [
    'a bad name',
    { stores: { 'a b': 'memory:' } },
    'stores.a b: a name has letters, digits, _ and - only, such as users or session-cache.',
  ],
  [
    'an unknown option',
    { stores: { a: { url: 'memory:', layer: [] } } },
    "stores.a: there is no option 'layer' here. Did you mean 'layers'?",
  ],
  [
    'no source',
    { stores: { a: { layers: [] } } },
    'stores.a: it needs one of url, store, from, mirror, fallback.',
  ],
  [
    'two sources',
    { stores: { a: { url: 'memory:', from: 'b' }, b: 'memory:' } },
    'stores.a: it has url and from. Choose one.',
  ],
  ['an unknown scheme', { stores: { a: 'reddis://h' } }, 'Known schemes'],
  [
    'a store that is not there',
    { stores: { a: { from: 'userz' }, users: 'memory:' } },
    "stores.a.from: there is no store 'userz'. Did you mean 'users'?",
  ],
  [
    'a circle',
    { stores: { a: { from: 'b' }, b: { from: 'a' } } },
    'the stores name each other in a circle: a → b → a.',
  ],
  [
    'a circle by a tier',
    { stores: { a: { url: 'memory:', layers: ['json', { tier: { store: 'a' } }] } } },
    'in a circle: a → a.',
  ],
  [
    'a mirror of what is not there',
    { stores: { a: { mirror: { primary: 'b', secondary: 'c' } }, b: 'memory:' } },
    "stores.a.mirror.secondary: there is no store 'c'.",
  ],
  [
    'a mirror without a second store',
    { stores: { a: { mirror: { primary: 'b' } }, b: 'memory:' } },
    'stores.a.mirror.secondary: it must be a string, got undefined.',
  ],
  [
    'an unknown layer',
    { stores: { a: { url: 'memory:', layers: ['cach'] } } },
    "stores.a.layers[0]: there is no layer 'cach'. Did you mean 'cache'?",
  ],
  [
    'a layer that is a number',
    { stores: { a: { url: 'memory:', layers: [1] } } },
    'stores.a.layers[0]: a layer is a name, { name: options }, or what a layer function returned, got a number.',
  ],
  [
    'two layers in one',
    { stores: { a: { url: 'memory:', layers: [{ json: {}, cache: {} }] } } },
    'stores.a.layers[0]: a layer is one name with its options, got json, cache.',
  ],
  [
    'options of a layer that are a text',
    { stores: { a: { url: 'memory:', layers: [{ cache: 'big' }] } } },
    'stores.a.layers[0].cache: options must be an object, got a string.',
  ],
  [
    'an unknown option of a layer',
    { stores: { a: { url: 'memory:', layers: [{ cache: { maxEntry: 5 } }] } } },
    'maxEntries',
  ],
  [
    'a wrong value of a layer',
    { stores: { a: { url: 'memory:', layers: [{ cache: { maxEntries: -1 } }] } } },
    'stores.a.layers[0].cache:',
  ],
  [
    'options of json',
    { stores: { a: { url: 'memory:', layers: [{ json: { schema: 1 } }] } } },
    'stores.a.layers[0].json: json takes no options here.',
  ],
  [
    'a wrong order',
    { stores: { a: { url: 'memory:', layers: [{ compression: {} }, 'json'] } } },
    'stores.a.layers: Wrong order',
  ],
  [
    'the monitor as a layer',
    { stores: { a: { url: 'memory:', layers: ['monitor'] } } },
    'stores.a.layers[0]: the monitor is not a layer here.',
  ],
  [
    'a variable that is not set',
    { stores: { a: 'redis://${USERS_HOST}' } },
    'stores.a: the environment variable USERS_HOST is not set.',
  ],
  [
    'a file that is not there',
    { stores: { a: 'redis://:${file:/no/such}@h' } },
    'stores.a: the file /no/such cannot be read (ENOENT).',
  ],
  [
    'a bad key',
    {
      stores: {
        a: {
          url: 'memory:',
          layers: [{ encryption: { dataset: 'a', keys: { primary: 'k', keys: { k: 'short secret' } } } }],
        },
      },
    },
    'stores.a.layers[0].encryption:',
  ],
  [
    'needs that a store lacks',
    { stores: { a: { url: 'memcached://h', needs: ['scan'] } } },
    'stores.a: a does not declare scan',
  ],
  ['a need that is unknown', { stores: { a: { url: 'memory:', needs: ['scann'] } } }, 'scann'],
  [
    'a dataset without a URL',
    { stores: { a: { from: 'b', dataset: 'x' }, b: 'memory:' } },
    'stores.a.dataset: it belongs to a URL, but this store has from.',
  ],
  [
    'a time below zero',
    { stores: { a: { url: 'memory:', timeoutMs: -1 } } },
    'stores.a.timeoutMs: the value is too small or empty.',
  ],
  [
    'a monitor kept nowhere',
    { stores: { a: 'memory:' }, monitor: { keepIn: 'b' } },
    "monitor.keepIn: there is no store 'b'.",
  ],
  [
    'a monitor that counts itself',
    { stores: { a: { url: 'memory:', monitored: true } }, monitor: { keepIn: 'a' } },
    'without end',
  ],
  [
    'a monitored store without a monitor',
    { stores: { a: { url: 'memory:', monitored: true } } },
    'stores.a.monitored: there is no monitor.',
  ],
  [
    'a monitor kept where nothing can be listed',
    { stores: { a: 'memcached://h' }, monitor: { keepIn: 'a' } },
    'monitor: a cannot list keys',
  ],
  [
    'a monitor kept as objects',
    { stores: { a: 'memory:', k: { url: 'memory:', layers: ['json'] } }, monitor: { keepIn: 'k' } },
    'monitor: Figures of a monitor are kept as bytes, but k has the codec json.',
  ],
  [
    'a policy without a limit',
    { stores: { a: 'memory:' }, monitor: { policies: [{ store: 'a', operation: 'read' }] } },
    'monitor: policies[0] of recorder() must have exactly one of',
  ],
  [
    'an unknown option of the monitor',
    { stores: { a: 'memory:' }, monitor: { flushMS: 5 } },
    "monitor: there is no option 'flushMS' here. Did you mean 'flushMs'?",
  ],
])('%s is one clear sentence', async (_, config, words) => {
  const error = await openStores(config as never).then(
    () => undefined,
    (reason: unknown) => reason as StoreError,
  )
  expect(error).toBeInstanceOf(StoreError)
  expect(error?.code).toMatch(/INVALID_CONFIG|UNSUPPORTED|INVALID_ARGUMENT/)
  expect(error?.message).toContain(words)
  expect(error?.message).not.toContain('short secret')
  expect(error?.message).not.toContain('\n')
})
