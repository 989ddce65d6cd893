import { newVersion, type WriteResult } from '@unikv/core'
import { describeWith } from '@unikv/test-kit/vitest'
import { expect, test } from 'vitest'
import { redis } from '../src/index.ts'
import { behind, bytes, codeOf, fresh, freshDataset, read, set, text, textOf, track, write } from './fresh.ts'

describeWith('redis', (url) => {
  test('of many clients that create a key one wins', async () => {
    const dataset = freshDataset()
    const stores = Array.from({ length: 16 }, () => track(redis({ url, dataset })))
    for (let round = 0; round < 20; round++) {
      const key = `k${round}`
      const results = await Promise.all(
        stores.map((store, i) => write(store, { type: 'set', key, value: bytes(`${i}`), ifVersion: null })),
      )
      const winner = onlyWinner(results)
      expect(await text(stores[0] as never, key)).toBe(String(winner))
    }
  })

  test('of many clients that change, delete or touch one version one wins', async () => {
    const dataset = freshDataset()
    const stores = Array.from({ length: 12 }, () => track(redis({ url, dataset })))
    const [first] = stores as [(typeof stores)[number]]
    for (let round = 0; round < 20; round++) {
      const ifVersion = await set(first, 'k', 'before')
      const results = await Promise.all(
        stores.map((store, i) =>
          write(
            store,
            i % 2 === 0
              ? { type: 'set', key: 'k', value: bytes(`${i}`), ifVersion }
              : { type: 'delete', key: 'k', ifVersion },
          ),
        ),
      )
      const winner = onlyWinner(results)
      expect(textOf(await read(first, 'k'))).toBe(winner % 2 === 0 ? String(winner) : undefined)
    }
  })

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

  test('touch keeps value and version', async () => {
    const store = fresh({ url })
    const version = await set(store, 'k', 'v')
    const at = Date.now() + 60_000
    expect(await write(store, { type: 'touch', key: 'k', expiresAt: at, ifVersion: version })).toEqual({
      version,
    })
    expect(await read(store, 'k')).toMatchObject({ version, expiresAt: at, value: Buffer.from('v') })
    expect(await write(store, { type: 'touch', key: 'absent', expiresAt: at })).toEqual({
      conditionFailed: true,
      version: undefined,
    })
    await write(store, { type: 'touch', key: 'k', expiresAt: Date.now() - 1 })
    expect(await read(store, 'k')).toBeUndefined()
  })

  test('increments add up over clients, and each leaves its version', async () => {
    const dataset = freshDataset()
    const stores = Array.from({ length: 8 }, () => track(redis({ url, dataset })))
    const results = await Promise.all(
      stores.flatMap((store) =>
        Array.from({ length: 25 }, () => write(store, { type: 'increment', key: 'n', by: 3, initial: 100 })),
      ),
    )
    const values = results.map((result) => (result as { readonly value: number }).value).sort((a, b) => a - b)
    expect(values).toEqual(Array.from({ length: 200 }, (_, i) => 103 + 3 * i))
    expect(await text(stores[0] as never, 'n')).toBe('700')
    const last = results.find((result) => (result as { readonly value: number }).value === 700)
    expect(await read(stores[0] as never, 'n')).toMatchObject({
      version: (last as { readonly version: string }).version,
    })
  })

  test('increments stay within the safe integers, and refuse what is no counter', async () => {
    const store = fresh({ url })
    const max = Number.MAX_SAFE_INTEGER
    const add = (by: number, initial = 0) => write(store, { type: 'increment', key: 'n', by, initial })
    expect(await add(1, max - 1)).toMatchObject({ value: max })
    expect(await codeOf(add(1))).toBe('INVALID_VALUE')
    expect(await codeOf(add(max))).toBe('INVALID_VALUE')
    expect(await add(-max)).toMatchObject({ value: 0 })
    expect(await text(store, 'n')).toBe('0')
    expect(await add(-max)).toMatchObject({ value: -max })
    expect(await codeOf(add(-1))).toBe('INVALID_VALUE')
    expect(await text(store, 'n')).toBe(`${-max}`)
    expect(await add(-0)).toMatchObject({ value: -max })
    for (const body of [
      '',
      '-',
      '+1',
      '1.0',
      '1e3',
      ' 1',
      '1 ',
      '01',
      '-0',
      'one',
      '9007199254740992',
      `${max}0`,
      '1\u0000',
      '1'.repeat(30),
      'nan',
      'inf',
      '0x1',
    ]) {
      await set(store, 'n', body)
      expect(await codeOf(add(1)), body).toBe('INVALID_VALUE')
      expect(await text(store, 'n')).toBe(body)
    }
    await write(store, { type: 'delete', key: 'n' })
    expect(await add(0, -0)).toMatchObject({ value: 0 })
    expect(await text(store, 'n')).toBe('0')
  })

  test('the expiry of an increment is for a record that it makes', async () => {
    const { store, client, prefix } = behind({ url })
    const at = Date.now() + 60_000
    await write(store, { type: 'increment', key: 'n', by: 1, initial: 0, expiresAt: at })
    expect(await read(store, 'n')).toMatchObject({ expiresAt: at })
    await write(store, { type: 'increment', key: 'n', by: 1, initial: 0, expiresAt: at + 1_000 })
    expect(await read(store, 'n')).toMatchObject({ expiresAt: at })
    expect(await client.pexpiretime(`${prefix}n`)).toBe(at)
  })
})

function onlyWinner(results: readonly WriteResult[]): number {
  const winners = results.flatMap((result, i) =>
    'conditionFailed' in result || result instanceof Error ? [] : [i],
  )
  expect(winners).toHaveLength(1)
  return winners[0] as number
}

async function versionOf(store: Parameters<typeof read>[0]): Promise<string | undefined> {
  const found = await read(store, 'k')
  return found !== undefined && 'version' in found ? found.version : undefined
}
