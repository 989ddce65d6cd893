import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { json, type KeyValue } from '@unikv/core'
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
  ['json', '{ "$schema": "x", "stores": { "a": "memory:" } }'],
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
