import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { memory } from '@unikv/core/memory'
import { keyring } from '@unikv/encryption'
import { writeBehind } from '@unikv/write-behind'
import { afterAll, describe, expect, test } from 'vitest'
import { type Configuration, loadConfig, openStores } from '../src/index.ts'

const folder = await mkdtemp(join(tmpdir(), 'unikv-reload-'))
afterAll(() => rm(folder, { recursive: true, force: true }))

const place = (kind: string, name: string): string => `${kind}:${join(folder, name)}`

/** Users in one place, and a tier in front of them in a store of its own. */
function configuration(users: string): Configuration {
  return {
    stores: {
      near: place('lmdb', 'near'),
      base: users,
      // A busy disk may be slow.
      users: { from: 'base', layers: ['json', { tier: { store: 'near' } }], timeoutMs: 60_000 },
      notes: { url: place('file', 'notes'), layers: ['text'] },
    },
    monitor: true,
  }
}

describe('reload', () => {
  test('drops no call, keeps stores that did not change, and goes on counting', async () => {
    const manager = await openStores(configuration(place('lmdb', 'users')))
    const before = manager.stores
    let [isOver, calls] = [false, 0]
    const caller = async (id: number): Promise<void> => {
      for (; !isOver; calls++) await manager.stores['users']?.set(`${id}`, calls)
    }
    const callers = Array.from({ length: 8 }, (_, id) => caller(id))
    await expect.poll(() => calls, { timeout: 30_000 }).toBeGreaterThan(20)
    const reloaded = manager.reload(configuration(place('sqlite', 'users.db')), { lingerMs: 200 })
    await expect.poll(() => manager.stores).not.toBe(before)
    await before['users']?.set('late', 'still taken')
    expect(await reloaded).toMatchObject({
      added: [],
      changed: ['base', 'users'],
      removed: [],
      kept: ['near', 'notes'],
    })
    const then = calls
    await expect.poll(() => calls, { timeout: 30_000 }).toBeGreaterThan(then + 20)
    isOver = true
    await Promise.all(callers)
    expect(manager.stores['notes']).toBe(before['notes'])
    expect(manager.monitor?.snapshot().stores['users']?.set?.calls).toBe(calls + 1)
    await expect(before['users']?.get('0')).rejects.toMatchObject({ code: 'CLOSED' })
    await manager.close()
  })

  test('goes on with what a function makes of the configuration in use', async () => {
    const manager = await openStores(
      {
        stores: { a: place('file', 'of-${A}'), b: place('file', 'b') },
      },
      { environment: { A: 'a${B}' } },
    )
    expect(manager.configuration.stores['a']).toEqual({ url: place('file', 'of-a${B}') })
    const changed = await manager.reload(
      (now) => ({ stores: { ...now.stores, b: { ...now.stores['b'], layers: ['json'] } } }),
      { lingerMs: 0 },
    )
    expect(changed).toMatchObject({ changed: ['b'], kept: ['a'], elapsedMs: expect.any(Number) })
    expect(manager.configuration.stores['b']?.layers).toEqual(['json'])
    await expect(manager.reload(() => ({ stores: {} }))).rejects.toThrow('stores: it is empty')
    expect(JSON.stringify(manager)).not.toContain('of-a')
    await manager.close()
  })

  test('adds and removes stores, and uses a changed module', async () => {
    const file = join(folder, 'unikv.config.mjs')
    await writeFile(file, `export default { stores: { a: '${place('file', 'a')}' } }`)
    const manager = await openStores(await loadConfig(file))
    await writeFile(file, `export default { stores: { b: '${place('file', 'b')}' } }`)
    await utimes(file, 1, 1)
    expect(await manager.reload(await loadConfig(file), { lingerMs: 0 })).toMatchObject({
      added: ['b'],
      removed: ['a'],
    })
    expect(Object.keys(manager.stores)).toEqual(['b'])
    await manager.close()
    await expect(manager.reload({ stores: { b: 'memory:' } })).rejects.toMatchObject({ code: 'CLOSED' })
  })

  test('a second change does not wait until the first stores are closed; closing ends all', async () => {
    const manager = await openStores({ stores: { a: place('lmdb', 'a1') } })
    const forEver = { lingerMs: 2 ** 31 - 1 }
    const first = manager.reload({ stores: { a: place('lmdb', 'a2') } }, forEver)
    const second = manager.reload({ stores: { a: place('lmdb', 'a3'), b: place('lmdb', 'b') } }, forEver)
    await expect.poll(() => Object.keys(manager.stores)).toEqual(['a', 'b'])
    const third = manager.reload({ stores: { a: place('lmdb', 'a4') } }, forEver)
    await manager.close()
    expect((await Promise.all([first, second])).map(({ changed }) => changed)).toEqual([['a'], ['a']])
    // It was under way, or came too late.
    expect(await third.catch((error: unknown) => error)).toMatchObject(
      (await third.then(() => true).catch(() => false)) ? { removed: ['b'] } : { code: 'CLOSED' },
    )
  })

  test('a store that lingers keeps those that it stands on, however soon they change', async () => {
    const over = (base: string, timeoutMs: number): Configuration => ({
      stores: { base: place('lmdb', base), users: { from: 'base', layers: ['json'], timeoutMs } },
    })
    const manager = await openStores(over('b1', 1000))
    const before = manager.stores['users']
    const first = manager.reload(over('b1', 2000), { lingerMs: 2 ** 31 - 1 })
    await expect.poll(() => manager.stores['users']).not.toBe(before)
    const second = manager.reload(over('b2', 2000), { lingerMs: 0 })
    const next = manager.stores['users']
    await expect.poll(() => manager.stores['users']).not.toBe(next)
    // Far longer than it takes to close them: nothing happens meanwhile.
    for (let i = 0; i < 20; i++) await before?.set('late', i)
    await manager.close()
    expect([(await first).changed, (await second).changed]).toEqual([['users'], ['base', 'users']])
  })

  test('a keyring that the program made is not the same as another one, data is', async () => {
    const withKeys = (keys: object): Configuration => ({
      stores: {
        a: {
          url: place('file', 'secret'),
          layers: ['json', { encryption: { dataset: 'd', keys } }],
        },
      },
    })
    const keys = (first: number) => ({
      primary: 'k',
      keys: { k: Uint8Array.from({ length: 32 }, (_, i) => first + 7 * i) },
    })
    await using manager = await openStores(withKeys(keys(1)))
    await manager.stores['a']?.set('x', 1)
    const changes = async (next: object) =>
      (await manager.reload(withKeys(next), { lingerMs: 0 })).changed.length
    expect([
      await changes(keys(1)),
      await changes(keyring(keys(1))),
      await changes(keyring(keys(2))),
    ]).toEqual([0, 1, 1])
    await expect(manager.stores['a']?.get('x')).rejects.toThrow('not authentic')
  })

  test('the functions of a monitor are those of the present configuration', async () => {
    const policies = [{ store: 'sql', operation: 'native', maxErrorShare: 0, minCalls: 1, over: '5s' }]
    const told: string[] = []
    const watched = (onEvent: unknown) =>
      ({ stores: { a: place('file', 'watched') }, monitor: { policies, onEvent } }) as Configuration
    await using manager = await openStores(watched(() => told.push('first')))
    await expect(manager.reload(watched('none'))).rejects.toMatchObject({ code: 'INVALID_CONFIG' })
    expect((await manager.reload(watched(() => told.push('second')))).kept).toEqual(['a'])
    await manager.monitor?.measure('sql', () => Promise.reject(new Error('no'))).catch(() => {})
    await expect.poll(() => told, { timeout: 60_000 }).toEqual(['second'])
  })

  test('closing does not wait for stores that linger', async () => {
    const manager = await openStores({ stores: { a: place('file', 'a') } })
    const reloaded = manager.reload({ stores: { a: place('file', 'c') } }, { lingerMs: 2 ** 31 - 1 })
    const { stores } = manager
    await expect.poll(() => manager.stores).not.toBe(stores)
    await manager.close()
    expect(await reloaded).toMatchObject({ changed: ['a'] })
  })
})

const madeQueue = () => writeBehind({ background: (work) => void work.catch(() => {}) })

describe('a change that would lose something, or is wrong, changes nothing:', () => {
  const made = memory()
  const stores: Configuration['stores'] = {
    kept: place('lmdb', 'kept'),
    files: place('file', 'files'),
    plain: place('lmdb', 'plain'),
    here: 'memory:',
    own: { store: made },
    queued: { url: place('file', 'queued'), layers: ['json', { writeBehind: { background: true } }] },
    above: { from: 'files', layers: ['json', { writeBehind: { background: true } }] },
    made: { url: place('file', 'made'), layers: ['json', madeQueue()] },
    loud: 'MEMORY:',
  }
  const monitor = { keepIn: 'kept' }

  test.each<[string, Configuration, string]>([
    ['monitor', { stores, monitor: { keepIn: 'kept', flushMs: 1 } }, 'monitor: it cannot change'],
    [
      'keeper',
      { stores: { ...stores, kept: place('file', 'other') }, monitor },
      'stores.kept: it keeps the figures',
    ],
    [
      'memory',
      { stores: { ...stores, here: { url: 'memory:', timeoutMs: 1 } }, monitor },
      'stores.here: its records are in this process',
    ],
    [
      'own store',
      { stores: { ...stores, own: { store: memory() } }, monitor },
      'stores.own: the program made this store',
    ],
    [
      'queue',
      { stores: { ...stores, queued: place('file', 'queued') }, monitor },
      'stores.queued: its writes may still wait',
    ],
    [
      'queue of the program',
      {
        stores: { ...stores, made: { url: place('file', 'made'), layers: ['json', madeQueue()] } },
        monitor,
      },
      'stores.made: its writes may still wait',
    ],
    [
      'memory in capital letters',
      { stores: { ...stores, loud: { url: 'MEMORY:', timeoutMs: 1 } }, monitor },
      'stores.loud: its records are in this process',
    ],
    [
      'queue above',
      { stores: { ...stores, files: place('file', 'other') }, monitor },
      'stores.above: its writes may still wait',
    ],
    [
      'used',
      { stores: { ...stores, plain: 'memcached://h' }, monitor },
      'stores.plain: the program needs scan',
    ],
    ['mistake', { stores: { ...stores, files: { urll: 'x' } as object }, monitor }, "Did you mean 'url'?"],
    [
      'layer',
      { stores: { ...stores, plain: { url: place('file', 'f'), layers: ['cach'] } } as never, monitor },
      "'cach'",
    ],
    [
      'layer above memory',
      { stores: { ...stores, here: { url: 'memory:', layers: ['cach'] } } as never, monitor },
      "'cach'",
    ],
  ])('%s', async (_, next, words) => {
    const uses = { plain: { needs: ['scan'] } } as const
    await using manager = await openStores({ stores, monitor }, { uses })
    const before = manager.stores
    await expect(manager.reload(next, { lingerMs: 0 })).rejects.toMatchObject({
      code: 'INVALID_CONFIG',
      message: expect.stringContaining(words),
    })
    expect(manager.stores).toBe(before)
    await before.plain.set('a', Buffer.from('a'))
    expect((await manager.ready()).isReady).toBe(true)
  })
})
