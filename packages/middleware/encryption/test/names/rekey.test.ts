import { type Bytes, newVersion, type Store } from '@unikv/core'
import { callOptions, isUserKey } from '@unikv/core/adapter'
import { memory } from '@unikv/core/memory'
import { describe, expect, test } from 'vitest'
import { keyring, nameKey, type RekeyProgress, rekey } from '../../src/index.ts'
import { root3, utf8 } from '../records.ts'
import { changing, copyOf, dyingAfter, killedAt } from './dying.ts'
import { marker, names, naming, otherNames, stackOf, usersOf } from './named.ts'
import { contents, filled, hasNewNames, newNaming, settings } from './rekeying.ts'

const third = nameKey(Uint8Array.from({ length: 32 }, (_, i) => i * 3 + 1))

describe('rekey', () => {
  test('moves every record to its new name, with value, version and expiry, and leaves none behind', async () => {
    const store = await filled()
    const before = await contents(stackOf(store))
    const progress: RekeyProgress[] = []
    const report = await rekey(store, { ...settings, finish: true, onProgress: (one) => progress.push(one) })
    expect(report).toMatchObject({ finished: true, changes: 29, removed: 29, unreadable: 0, stragglers: 0 })
    expect(Object.keys(before)).toHaveLength(29)
    expect(await contents(stackOf(store, { by: otherNames }))).toEqual(before)
    const stored = Object.keys(before).map((key) => newNaming.stored(key))
    expect([...store.native.keys()].toSorted()).toEqual([...stored, marker].toSorted())
    expect(new Set(progress.map(({ step }) => step))).toEqual(new Set(['copy', 'close', 'remove']))
    await expect(usersOf(store).get('user 1')).rejects.toMatchObject({ code: 'INVALID_CONFIG' })
  })

  test('without finish changes nothing for those who read and write, and new stacks are told to wait', async () => {
    const store = await filled()
    const users = usersOf(store)
    const before = await contents(stackOf(store))
    expect(await rekey(store, settings)).toMatchObject({ finished: false, changes: 29, removed: 0 })
    expect(await rekey(store, settings)).toMatchObject({ finished: false, changes: 0 })
    expect(await contents(stackOf(store))).toEqual(before)
    expect(await users.count()).toBe(10)
    expect(await users.namespace('team').count()).toBe(9)
    await expect(usersOf(store, { by: otherNames }).get('user 1')).rejects.toThrow(/has not finished/)
    await users.namespace('team').clear({ all: true })
    await users.delete('user 1')
    await users.set('user 2', utf8('changed'))
    await users.touch('user 3', { ttlMs: 60_000 })
    await users.set('user 30', utf8('new'))
    const after = await contents(stackOf(store))
    await rekey(store, { ...settings, finish: true })
    expect(await contents(stackOf(store, { by: otherNames }))).toEqual(after)
  })

  test('takes along what others write while it copies', async () => {
    const store = await filled()
    const users = usersOf(store)
    const team = users.namespace('team')
    let page = 0
    const write = async (): Promise<void> => {
      const n = page++ % 9
      await users.set(`user ${n}`, utf8(`later ${page}`))
      await team.delete(`user ${n}`)
      await team.set(`late ${page}`, utf8(`${page}`))
      if (n % 3 === 0) await users.delete(`user ${(n + 1) % 9}`)
    }
    const busy = changing(store, write)
    await rekey(busy, settings)
    await rekey(busy, settings)
    expect(page).toBeGreaterThan(10)
    const wanted = await contents(stackOf(store))
    await rekey(store, { ...settings, finish: true })
    expect(await contents(stackOf(store, { by: otherNames }))).toEqual(wanted)
  })

  test('goes on after being killed before and after each of its writes; whoever may read sees everything', async () => {
    const whole = await filled()
    const wanted = await contents(stackOf(whole))
    let kills = 0
    for (let at = 0; ; at++) {
      const store = copyOf(whole)
      const isDone = await killedAt(store, at)
      const isNew = hasNewNames(store)
      expect(await contents(stackOf(store, { by: isNew ? otherNames : names }))).toEqual(wanted)
      await rekey(store, { ...settings, finish: true })
      expect(await contents(stackOf(store, { by: otherNames }))).toEqual(wanted)
      expect(store.native.size).toBe(30)
      if (isDone) break
      kills += 1
    }
    // 5 writes of copies and 2 times 5 removals or so, and those of the marker.
    expect(kills).toBeGreaterThan(20)
  })

  test('brings nothing back that was deleted or changed after the dataset was handed over', async () => {
    const store = await filled()
    // Killed when the dataset is handed over and nothing is removed yet.
    const dying = dyingAfter(store, ({ key, type }) => type === 'delete' && isUserKey(key))
    await expect(rekey(dying, { ...settings, finish: true })).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    const users = usersOf(store, { by: otherNames })
    await users.delete('user 1')
    await users.set('user 2', utf8('changed'))
    const wanted = await contents(stackOf(store, { by: otherNames }))
    expect(await rekey(store, { ...settings, finish: true })).toMatchObject({
      finished: true,
      changes: 0,
      stragglers: 0,
    })
    expect(await contents(stackOf(store, { by: otherNames }))).toEqual(wanted)
    expect(await users.get('user 1')).toBeUndefined()
  })

  test('leaves, and counts, what somebody writes under an old name after that', async () => {
    const store = await filled()
    const old = naming.stored('user 1')
    const late = changing(store, async () => {
      if (!hasNewNames(store) || store.native.get(old)?.version !== before) return
      const value = store.native.get(old)?.value as Bytes
      await store.write([{ type: 'set', key: old, value, version: newVersion() }], callOptions())
    })
    const before = store.native.get(old)?.version
    expect(await rekey(late, { ...settings, finish: true })).toMatchObject({
      finished: true,
      stragglers: 1,
      removed: 28,
    })
    expect(store.native.has(old)).toBe(true)
    expect(await usersOf(store, { by: otherNames }).get('user 1')).toEqual(Buffer.from('0 1'))
    expect(await usersOf(store, { by: otherNames }).count()).toBe(10)
  })

  test('refuses to finish while records do not open, and lets writers go on; or leaves these', async () => {
    const store = await filled()
    const ring = keyring({ primary: 'k2', keys: { k1: { state: 'destroyed' }, k2: root3 } })
    await usersOf(store, { ring }).set('user 1', utf8('again'))
    const finish = { ...settings, keys: ring, finish: true }
    await expect(rekey(store, finish)).rejects.toMatchObject({ code: 'UNKNOWN_KEY_ID' })
    await usersOf(store, { ring }).set('user 2', utf8('again'))
    const report = await rekey(store, { ...finish, unreadable: 'leave' })
    expect(report).toMatchObject({ finished: true, unreadable: 27, removed: 2 })
    const users = usersOf(store, { ring, by: otherNames })
    expect(await users.get('user 2')).toEqual(Buffer.from('again'))
  })

  test('refuses a dataset of another name key, one without a marker, and a second one to another name key', async () => {
    const store = await filled()
    await expect(rekey(store, { ...settings, from: otherNames, to: third })).rejects.toMatchObject({
      code: 'INVALID_CONFIG',
    })
    await expect(rekey(store, { ...settings, to: names })).rejects.toMatchObject({ code: 'INVALID_CONFIG' })
    await rekey(store, settings)
    await expect(rekey(store, { ...settings, to: third })).rejects.toThrow(/has begun/)
    await expect(rekey(memory(), settings)).rejects.toThrow(/no marker/)
    const listless = {
      ...store,
      capabilities: { ...store.capabilities, scan: false },
    } as unknown as Store<Bytes>
    await expect(rekey(listless, settings)).rejects.toMatchObject({ code: 'UNSUPPORTED' })
  })

  test('can be taken back half way, and there and back again', async () => {
    const store = await filled()
    const wanted = await contents(stackOf(store))
    await rekey(store, { ...settings, finish: true })
    await rekey(store, { ...settings, from: otherNames, to: names, finish: true })
    expect(await contents(stackOf(store))).toEqual(wanted)
    expect(store.native.size).toBe(30)
  })
})
