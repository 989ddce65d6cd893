import { type Bytes, type KeyValue, keyValue, StoreError } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { expect, test } from 'vitest'
import { clearNativeGroups, entities, entity, plain } from '../src/index.ts'
import { holding } from './holding-groups.ts'

const Note = entity('Note', {
  schema: plain<{ user: string; no: number }>(),
  id: ['user', 'no'],
  group: ['user'],
})

test('native groups of a namespace are removed without their types, and all others stay', async () => {
  const kv = holding().kv as KeyValue<string, Bytes>
  const open = (name: string) => entities(kv.namespace(name), [Note], { transactions: 'native' })
  const [gone, stays] = [open('gone'), open('stays')]
  for (const db of [gone, stays]) for (const user of ['u', 'v']) await db.create(Note, { user, no: 1 })
  expect(await clearNativeGroups(kv.namespace('gone'))).toBe(2)
  expect(await gone.get(Note, { user: 'u', no: 1 })).toBe(undefined)
  expect(await stays.get(Note, { user: 'u', no: 1 })).toEqual({ user: 'u', no: 1 })
  expect(await clearNativeGroups(kv.namespace('gone'))).toBe(0)
})

test.each(['records', 'native'] as const)(
  'clear() of %s leaves the groups of namespaces inside alone',
  async (transactions) => {
    const kv = holding().kv as KeyValue<string, Bytes>
    const namespaces = [kv, kv.namespace('a'), kv.namespace('a').namespace('b'), kv.namespace('ab')]
    const all = namespaces.map((one) => entities(one, [Note], { transactions }))
    for (const db of all) await db.create(Note, { user: 'u', no: 1 })
    const left = async (): Promise<readonly boolean[]> =>
      Promise.all(all.map(async (db) => (await db.get(Note, { user: 'u', no: 1 })) !== undefined))
    expect(await all[1]?.clear()).toBe(1)
    expect(await left()).toEqual([true, false, true, true])
    expect(await all[0]?.clear()).toBe(1)
    expect(await left()).toEqual([false, false, true, true])
  },
)

test('native groups of namespaces inside are removed if that is asked for', async () => {
  const kv = holding().kv as KeyValue<string, Bytes>
  const [a, ab, other] = [kv.namespace('a'), kv.namespace('a').namespace('b'), kv.namespace('ab')]
  for (const one of [a, ab, other])
    await entities(one, [Note], { transactions: 'native' }).create(Note, { user: 'u', no: 1 })
  expect(await clearNativeGroups(kv.namespace('a'), { all: true })).toBe(2)
  expect(await clearNativeGroups(kv, { all: true })).toBe(1)
})

test('a store without native groups, or whose table of them was never made, has none to remove', async () => {
  expect(await clearNativeGroups(keyValue(memory()))).toBe(0)
  const fails = (error: Error) => {
    const { kv, groups } = holding()
    groups.names = () => {
      throw error
    }
    return clearNativeGroups(kv)
  }
  expect(await fails(new StoreError('NOT_PREPARED', 'There is no table.'))).toBe(0)
  await expect(fails(new StoreError('UNAVAILABLE', 'It is away.'))).rejects.toThrow('It is away.')
})
