import { type Bytes, newVersion, type Store } from '@unikv/core'
import { describeWith } from '@unikv/test-kit/vitest'
import { expect, test } from 'vitest'
import { behind, bytes, fresh, read, set, text, write } from './fresh.ts'

describeWith('redis', (url) => {
  test('a version of a record that was deleted and made again is not met', async () => {
    const store = fresh({ url })
    const old = await set(store, 'k', 'same')
    await write(store, { type: 'delete', key: 'k' })
    expect(await write(store, { type: 'set', key: 'k', value: bytes('x'), ifVersion: old })).toEqual({
      conditionFailed: true,
      version: undefined,
    })
    const now = await set(store, 'k', 'same')
    expect(await write(store, { type: 'set', key: 'k', value: bytes('x'), ifVersion: old })).toEqual({
      conditionFailed: true,
      version: now,
    })
    expect(await write(store, { type: 'delete', key: 'k', ifVersion: null })).toEqual({
      conditionFailed: true,
      version: now,
    })
    expect(await write(store, { type: 'touch', key: 'k', expiresAt: undefined, ifVersion: old })).toEqual({
      conditionFailed: true,
      version: now,
    })
    expect(await write(store, { type: 'increment', key: 'k', by: 1, initial: 0, ifVersion: old })).toEqual({
      conditionFailed: true,
      version: now,
    })
    expect(await text(store, 'k')).toBe('same')
  })

  test('the condition of absence holds for a delete of nothing', async () => {
    const store = fresh({ url })
    const version = newVersion()
    expect(await write(store, { type: 'delete', key: 'k', ifVersion: null, version })).toEqual({
      version,
      existed: false,
    })
  })

  test('a set keeps, removes or replaces the expiry, in the record and on the server', async () => {
    const { store, client, prefix } = behind({ url })
    const at = Date.now() + 60_000
    const expiry = async () => {
      const found = await read(store, 'k')
      const ours = found !== undefined && 'expiresAt' in found ? found.expiresAt : undefined
      const theirs = await client.pexpiretime(`${prefix}k`)
      return [ours, theirs === -1 ? undefined : theirs]
    }
    await set(store, 'k', '1', at)
    expect(await expiry()).toEqual([at, at])
    await set(store, 'k', '2', 'keep')
    expect(await expiry()).toEqual([at, at])
    const version = await set(store, 'k', '3', 'keep')
    await write(store, { type: 'increment', key: 'k', by: 1, initial: 0 })
    expect(await expiry()).toEqual([at, at])
    expect(await text(store, 'k')).toBe('4')
    expect(await write(store, { type: 'touch', key: 'k', expiresAt: at + 5.7 })).not.toEqual({ version })
    expect(await expiry()).toEqual([at + 5, at + 5])
    expect(await write(store, { type: 'touch', key: 'k', expiresAt: undefined })).toMatchObject({
      version: expect.any(String),
    })
    expect(await expiry()).toEqual([undefined, undefined])
    await set(store, 'k', '5', at)
    await set(store, 'k', '6')
    expect(await expiry()).toEqual([undefined, undefined])
    await set(store, 'k', '7', 'keep')
    expect(await expiry()).toEqual([undefined, undefined])
    await write(store, {
      type: 'set',
      key: 'k',
      value: bytes('8'),
      expiresAt: at,
      ifVersion: (await versionOf(store)) as string,
    })
    expect(await expiry()).toEqual([at, at])
    await write(store, {
      type: 'set',
      key: 'k',
      value: bytes('9'),
      ifVersion: (await versionOf(store)) as string,
    })
    expect(await expiry()).toEqual([undefined, undefined])
  })

  test('no counter is a negative zero', async () => {
    const store = fresh({ url })
    for (const by of [0, -0])
      expect(await write(store, { type: 'increment', key: 'n', by, initial: -0 })).toMatchObject({ value: 0 })
    expect(await text(store, 'n')).toBe('0')
  })
})

async function versionOf(store: Store<Bytes>): Promise<string | undefined> {
  const found = await read(store, 'k')
  return found !== undefined && 'version' in found ? found.version : undefined
}
