import { type Bytes, isStoreError, newVersion, type Store } from '@unikv/core'
import { callOptions, internalKey, namespacePrefix } from '@unikv/core/adapter'
import { type MemoryStore, memory } from '@unikv/core/memory'
import type { RekeyOptions } from '../../src/index.ts'
import { Naming } from '../../src/names/naming.ts'
import { keys, utf8 } from '../records.ts'
import { marker, names, otherNames, stackOf, usersOf } from './named.ts'

/** A rekey that waits for nobody. */
export const settings: RekeyOptions = {
  dataset: 'users',
  keys,
  from: names,
  to: otherNames,
  settleMs: 0,
  pageSize: 7,
}

/** The names that come after it. */
export const newNaming: Naming = new Naming(otherNames, 'users')

/** 29 records: in the root and in namespaces, one that expires, one of a layer. */
export async function filled(): Promise<MemoryStore> {
  const store = memory()
  const users = usersOf(store)
  for (const [i, space] of [users, users.namespace('team'), users.namespace('a').namespace('b')].entries())
    await space.setMany(Array.from({ length: 9 }, (_, n) => [`user ${n}`, utf8(`${i} ${n}`)] as const))
  await users.set('mortal', utf8('m'), { ttlMs: 3_600_000 })
  const internal = internalKey('chunk', `${namespacePrefix(['team'])}user 1`, 'part')
  await stackOf(store).write(
    [{ type: 'set', key: internal, value: utf8('x'), version: newVersion() }],
    callOptions(),
  )
  return store
}

/** Value, version and expiry by true canonical key. */
export type Contents = Readonly<
  Record<string, readonly [value: string, version: string | undefined, expiresAt: number | undefined]>
>

/** All that a stack lists. */
export async function contents(stack: Store<Bytes>): Promise<Contents> {
  const all: Record<string, readonly [string, string | undefined, number | undefined]> = {}
  for await (const { entries } of stack.scan({ prefix: '', pageSize: 5, values: true }, callOptions()))
    for (const { key, entry } of entries) {
      if (entry === undefined) continue
      if (isStoreError(entry)) throw entry
      all[key] = [Buffer.from(entry.value).toString(), entry.version, entry.expiresAt]
    }
  return all
}

/** Whether the dataset was handed over. */
export function hasNewNames(store: MemoryStore): boolean {
  const value = store.native.get(marker)?.value as Bytes
  return Buffer.from(value).subarray(14).equals(newNaming.check)
}
