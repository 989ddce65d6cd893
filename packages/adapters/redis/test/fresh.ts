import { randomBytes } from 'node:crypto'
import {
  type Mutation,
  newVersion,
  type Read,
  type ReadResult,
  type Store,
  type WriteResult,
} from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import type { Redis } from 'ioredis'
import { afterEach } from 'vitest'
import { type RedisOptions, type RedisStore, redis } from '../src/index.ts'

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

type Bytes = Uint8Array
type Any = Store<Bytes>

/** A mutation without its version. */
export type Draft =
  Mutation<Bytes> extends infer M
    ? M extends Mutation<Bytes>
      ? Omit<M, 'version'> & { readonly version?: string }
      : never
    : never

/** Write one thing. */
export async function write(store: Any, draft: Draft): Promise<WriteResult> {
  return (await writeAll(store, [draft]))[0] as WriteResult
}

/** Write several things at once. */
export async function writeAll(store: Any, drafts: readonly Draft[]): Promise<readonly WriteResult[]> {
  const mutations = drafts.map((draft): Mutation<Bytes> => ({ version: newVersion(), ...draft }))
  return store.write(mutations, callOptions())
}

/** Set a text and answer its version. */
export async function set(
  store: Any,
  key: string,
  text: string,
  expiresAt?: number | 'keep',
): Promise<string> {
  const version = newVersion()
  const result = await write(store, { type: 'set', key, value: bytes(text), version, expiresAt })
  if (result instanceof Error) throw result
  return version
}

/** Read one thing. */
export async function read(store: Any, key: string, how: Omit<Read, 'key'> = {}): Promise<ReadResult<Bytes>> {
  return (await store.read([{ key, ...how }], callOptions()))[0]
}

/** The text of a key. */
export async function text(store: Any, key: string): Promise<string | undefined> {
  const found = await read(store, key)
  if (found instanceof Error) throw found
  return found === undefined ? undefined : textOf(found)
}

/** The text of an entry. */
export function textOf(found: ReadResult<Bytes>): string | undefined {
  return found !== undefined && 'value' in found ? Buffer.from(found.value).toString() : undefined
}

/** All keys that a scan lists. */
export async function keys(store: Any, prefix = '', pageSize = 100): Promise<string[]> {
  const all: string[] = []
  for await (const page of store.scan({ prefix, pageSize, values: false }, callOptions()))
    all.push(...page.entries.map(({ key }) => key))
  return all
}

/** Text as bytes. */
export function bytes(value: string): Uint8Array {
  return Buffer.from(value)
}

/** The code of the error that this ends with. */
export async function codeOf(work: Promise<unknown> | (() => unknown)): Promise<string | undefined> {
  try {
    const result = await (typeof work === 'function' ? work() : work)
    const first: unknown = Array.isArray(result) ? result[0] : result
    return (first as { readonly code?: string } | undefined)?.code
  } catch (error) {
    return (error as { readonly code?: string }).code
  }
}

/** What this ends with. */
export async function errorOf(work: () => unknown): Promise<Error | undefined> {
  try {
    await work()
    return undefined
  } catch (error) {
    return error as Error
  }
}
