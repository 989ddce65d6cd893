import { randomBytes } from 'node:crypto'
import type { Mutation, Store } from '@unikv/core'
import type { Unversioned } from '@unikv/test-kit'
import type { Redis } from 'ioredis'
import { afterEach } from 'vitest'
import { type RedisOptions, type RedisStore, redis } from '../src/index.ts'

export {
  codeOf,
  errorOf,
  keysOf as keys,
  readOne as read,
  readText as text,
  setText as set,
  textIn as textOf,
  writeAll,
  writeOne as write,
} from '@unikv/test-kit'

const open: Store<Uint8Array>[] = []

afterEach(async () => {
  await Promise.all(open.splice(0).map((store) => store.close()))
})

/** A dataset that nobody else uses. */
export function freshDataset(): string {
  return `t${randomBytes(6).toString('hex')}`
}

/** A store over a dataset of its own, closed after the test. */
export function fresh<const O extends RedisOptions>(options: O): RedisStore<O> {
  return track(redis({ dataset: freshDataset(), ...(options as RedisOptions) })) as unknown as RedisStore<O>
}

/** A store, its client, and what its keys start with. */
export function behind<const O extends RedisOptions>(
  options: O,
): { store: RedisStore<O>; client: Redis; prefix: string } {
  const dataset = freshDataset()
  const store = fresh<O>({ ...options, dataset })
  return { store, client: store.native as Redis, prefix: `${dataset}:` }
}

/** Have a store closed after the test. */
export function track<S extends Store<Uint8Array>>(store: S): S {
  open.push(store)
  return store
}

/** A mutation without its version. */
export type Draft = Unversioned<Mutation<Uint8Array>>

/** Text as bytes. */
export function bytes(value: string): Uint8Array {
  return Buffer.from(value)
}
