import { type Bytes, compose, isEntry, json, keyValue, newVersion, type Store, StoreError } from '@unikv/core'
import { callOptions, internalKey } from '@unikv/core/adapter'
import { type MemoryStore, memory } from '@unikv/core/memory'
import { describe, expect, test } from 'vitest'
import { isEnvelope, readHeader } from '../src/envelope/envelope.ts'
import { encryption, type Keyring, keyring, type ReencryptReport, reencrypt } from '../src/index.ts'
import { changed, root1, root2, utf8 } from './records.ts'
import { dataset, held, plant } from './stored.ts'

const twoKeys = (): Keyring => keyring({ primary: 'k1', keys: { k1: root1, k2: root2 } })
const next = { primary: 'k2', keys: { k1: root1, k2: root2 } }
const keyIdsIn = (store: MemoryStore): readonly string[] =>
  Array.from(store.native.values(), ({ value }) => (isEnvelope(value) ? readHeader(value).keyId : ''))

async function filled(count: number) {
  const keys = twoKeys()
  const store = memory()
  const users = keyValue(store, [json(), encryption({ dataset, keys })])
  for (let i = 0; i < count; i++) await users.set(`user ${i}`, { i })
  return { keys, store, users }
}

describe('reencrypt', () => {
  test('seals every record with the primary, keeps value, version and expiry, and then finds nothing to do', async () => {
    const { keys, store, users } = await filled(250)
    await users.set('expiring', 'soon', { ttlMs: 60_000 })
    const before = await users.getEntry('expiring')
    keys.replace(next)
    await users.set('new', 'sealed with k2')
    const pages: ReencryptReport[] = []
    const report = await reencrypt(users, { onProgress: (one) => pages.push(one) })
    expect(report).toEqual({
      scanned: 252,
      rewritten: 251,
      skipped: 1,
      failed: 0,
      failures: {},
      keys: { k1: 251, k2: 1 },
      cursor: undefined,
    })
    expect(pages.map(({ scanned }) => scanned)).toEqual([100, 200, 252])
    expect(new Set(keyIdsIn(store))).toEqual(new Set(['k2']))
    expect(await users.getEntry('expiring')).toEqual(before)
    expect(await reencrypt(users)).toMatchObject({ rewritten: 0, skipped: 252, keys: { k2: 252 } })
    keys.destroy('k1')
    expect(await users.get('user 249')).toEqual({ i: 249 })
  })

  test('covers namespaces and the records that layers keep for themselves', async () => {
    const { keys, store, users } = await filled(1)
    await users.namespace('team').set('ada', 1)
    const stack = compose(store, [encryption({ dataset, keys })])
    const internal = internalKey('chunk', 'user 0', '1')
    await stack.write(
      [{ type: 'set', key: internal, version: newVersion(), value: utf8('a chunk') }],
      callOptions(),
    )
    keys.replace(next)
    expect(await reencrypt(stack)).toMatchObject({ scanned: 3, rewritten: 3 })
    expect(new Set(keyIdsIn(store))).toEqual(new Set(['k2']))
    const [entry] = await stack.read([{ key: internal }], callOptions())
    expect(isEntry(entry) && Buffer.from(entry.value).toString()).toBe('a chunk')
  })

  test('seals again for another cipher and for padding', async () => {
    const { keys, store, users } = await filled(3)
    const layer = encryption({ dataset, keys, algorithm: 'aes-128-gcm', padding: 'padme' })
    const other = keyValue(store, [json(), layer])
    expect(await reencrypt(other)).toMatchObject({ rewritten: 3 })
    expect(await reencrypt(other)).toMatchObject({ rewritten: 0, skipped: 3 })
    expect(readHeader(held(store, 'user 0')).suite.algorithm).toBe('aes-128-gcm')
    expect(await users.get('user 2')).toEqual({ i: 2 })
  })

  test('loses no newer write: of two at once the newer value stays', async () => {
    const { keys, store, users } = await filled(20)
    keys.replace(next)
    const racing: MemoryStore = {
      ...store,
      write(mutations, call) {
        // Another process is faster, each time that the sweep writes one of these.
        for (const { key, type } of mutations)
          if (type === 'set' && key.endsWith('7') && !raced.has(key)) {
            raced.add(key)
            overtake(key)
          }
        return store.write(mutations, call)
      },
    }
    const raced = new Set<string>()
    const overtake = (key: string): void => {
      void keyValue(store, [json(), encryption({ dataset, keys: old })]).set(key, 'newer')
    }
    const old = keyring({ primary: 'k1', keys: { k1: root1 } })
    const report = await reencrypt(keyValue(racing, [json(), encryption({ dataset, keys })]))
    expect(report).toMatchObject({ scanned: 20, rewritten: 20, failed: 0 })
    expect(raced.size).toBe(2)
    expect(await users.getMany(['user 7', 'user 17', 'user 8'])).toEqual(['newer', 'newer', { i: 8 }])
    expect(new Set(keyIdsIn(store))).toEqual(new Set(['k2']))
  })

  test('counts what it cannot open, and leaves it as it is', async () => {
    const { keys, store, users } = await filled(5)
    await plant(store, 'plain', utf8('not encrypted'))
    const broken = changed(held(store, 'user 1'), (copy) => copy.subarray(-5).fill(1))
    await plant(store, 'user 1', broken)
    const lost = keyring({ primary: 'k0', keys: { k0: '9d'.repeat(31).concat('78') } })
    await keyValue(store, [json(), encryption({ dataset, keys: lost })]).set('lost', 1)
    keys.replace(next)
    expect(await reencrypt(users)).toMatchObject({
      scanned: 7,
      rewritten: 4,
      failed: 3,
      failures: { CORRUPT: 1, AUTHENTICATION_FAILED: 1, UNKNOWN_KEY_ID: 1 },
      keys: { k1: 5, k0: 1, '': 1 },
    })
    expect(broken.equals(held(store, 'user 1'))).toBe(true)
    expect(held(store, 'plain')).toEqual(utf8('not encrypted'))
  })

  test('seals records that are not encrypted where the layer takes them', async () => {
    const store = memory()
    await keyValue(store, [json()]).setMany([
      ['a', 1],
      ['b', 2],
    ])
    const keys = twoKeys()
    const lenient = keyValue(store, [json(), encryption({ dataset, keys, requireEncryption: false })])
    expect(await reencrypt(lenient)).toMatchObject({ rewritten: 2, keys: { '': 2 } })
    expect(await keyValue(store, [json(), encryption({ dataset, keys })]).getMany(['a', 'b'])).toEqual([1, 2])
  })

  test('only looks with dryRun', async () => {
    const { keys, store, users } = await filled(4)
    keys.replace(next)
    expect(await reencrypt(users, { dryRun: true })).toMatchObject({ rewritten: 4, keys: { k1: 4 } })
    expect(new Set(keyIdsIn(store))).toEqual(new Set(['k1']))
  })

  test('goes on where it was stopped, in another process', async () => {
    const { keys, store, users } = await filled(30)
    keys.replace(next)
    const stop = new AbortController()
    let cursor: string | undefined
    const sweep = reencrypt(users, {
      pageSize: 10,
      signal: stop.signal,
      onProgress: (report) => {
        ;({ cursor } = report)
        stop.abort()
      },
    })
    await expect(sweep).rejects.toMatchObject({ code: 'ABORTED' })
    expect(keyIdsIn(store).filter((id) => id === 'k2')).toHaveLength(10)
    expect(await reencrypt(users, { cursor })).toMatchObject({ scanned: 20, rewritten: 20 })
    expect(new Set(keyIdsIn(store))).toEqual(new Set(['k2']))
  })

  test.each([
    ['', 'INVALID_ARGUMENT'],
    ['r1.x.y', 'INVALID_ARGUMENT'],
    ['r2.bWVtb3J5.eA', 'INVALID_ARGUMENT'],
    [7, 'INVALID_ARGUMENT'],
    [null, 'INVALID_CONFIG'],
  ])('refuses the cursor %o', async (cursor, code) => {
    const { users } = await filled(1)
    await expect(reencrypt(users, { cursor: cursor as never })).rejects.toMatchObject({ code })
  })

  test('refuses a store without conditions unless told, and writes then', async () => {
    const { keys, store } = await filled(3)
    keys.replace(next)
    const loose = without(store, { conditionalWrite: false })
    const users = keyValue(loose, [json(), encryption({ dataset, keys })])
    await expect(reencrypt(users)).rejects.toMatchObject({ code: 'UNSUPPORTED' })
    expect(await reencrypt(users, { dryRun: true })).toMatchObject({ rewritten: 3 })
    expect(await reencrypt(users, { unconditional: true })).toMatchObject({ rewritten: 3, failed: 0 })
    const unlisted = without(store, { scan: false })
    const hidden = keyValue(unlisted, [json(), encryption({ dataset, keys })])
    await expect(reencrypt(hidden as never)).rejects.toMatchObject({ code: 'UNSUPPORTED' })
  })

  test('refuses what has no encryption, has it twice, or is a part', async () => {
    const { keys, store, users } = await filled(1)
    const layer = encryption({ dataset, keys })
    for (const stack of [
      keyValue(store, [json()]),
      store,
      users.namespace('team'),
      compose(store, [layer, encryption({ dataset, keys })]),
      undefined,
    ])
      await expect(reencrypt(stack as never)).rejects.toMatchObject({ code: 'INVALID_CONFIG' })
    for (const options of [{ concurrency: 0 }, { pageSize: 1.5 }, { timeoutMs: 'soon' }])
      await expect(reencrypt(users, options as never)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
  })

  test('looks again where the outcome of a write is unknown, and counts a store that stays down', async () => {
    const { keys, store } = await filled(6)
    keys.replace(next)
    let writes = 0
    const shaky: MemoryStore = {
      ...store,
      write(mutations, call) {
        writes++
        if (writes % 3 === 1) {
          void store.write(mutations, call)
          throw new StoreError('OUTCOME_UNKNOWN', 'The reply was lost.')
        }
        if (writes % 3 === 2) throw new StoreError('OUTCOME_UNKNOWN', 'The request was lost.')
        return store.write(mutations, call)
      },
    }
    const users = keyValue(shaky, [json(), encryption({ dataset, keys })])
    expect(await reencrypt(users)).toMatchObject({ scanned: 6, failed: 0 })
    expect(new Set(keyIdsIn(store))).toEqual(new Set(['k2']))
    const down = {
      ...store,
      write: () => {
        throw new StoreError('UNAVAILABLE', 'Down.')
      },
    }
    keys.replace({ ...next, primary: 'k1' })
    const report = await reencrypt(keyValue(down, [json(), encryption({ dataset, keys })]))
    expect(report).toMatchObject({ failed: 6, failures: { UNAVAILABLE: 6 } })
  })

  test('has at most as many writes under way as it may', async () => {
    const { keys, store } = await filled(40)
    keys.replace(next)
    let now = 0
    let most = 0
    const slow: MemoryStore = {
      ...store,
      capabilities: { ...store.capabilities, sync: 'none' as never },
      write: async (mutations, call) => {
        now++
        most = Math.max(most, now)
        await new Promise(setImmediate)
        now--
        return store.write(mutations, call)
      },
    }
    await reencrypt(keyValue(slow, [json(), encryption({ dataset, keys })]), { concurrency: 3 })
    expect(most).toBe(3)
  })

  test('reaches the records below a composed stack, past the layers above', async () => {
    const { keys, store } = await filled(2)
    const sealed: Store<Bytes> = compose(store, [encryption({ dataset, keys })])
    keys.replace(next)
    expect(await reencrypt(keyValue(compose(sealed, [json()]), []))).toMatchObject({ rewritten: 2 })
  })
})

function without(store: MemoryStore, changes: object): MemoryStore {
  return { ...store, capabilities: { ...store.capabilities, ...changes } }
}
