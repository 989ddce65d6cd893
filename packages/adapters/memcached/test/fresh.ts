import { randomBytes } from 'node:crypto'
import { type Mutation, newVersion, type Read, type ReadResult, type WriteResult } from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { afterEach } from 'vitest'
import { type MemcachedOptions, type MemcachedStore, memcached } from '../src/index.ts'

const open: MemcachedStore[] = []

afterEach(async () => {
  await Promise.all(open.splice(0).map((store) => store.close()))
})

/** A dataset that nobody else uses. */
export function freshDataset(): string {
  return `t${randomBytes(6).toString('hex')}`
}

/** A store over a dataset of its own, closed after the test. */
export function fresh(options: MemcachedOptions): MemcachedStore {
  const store = memcached({ dataset: freshDataset(), ...options })
  open.push(store)
  return store
}

/** A mutation without its version. */
export type Draft =
  Mutation<Uint8Array> extends infer M
    ? M extends Mutation<Uint8Array>
      ? Omit<M, 'version'> & { readonly version?: string }
      : never
    : never

/** Write several things at once. */
export async function writeAll(
  store: MemcachedStore,
  drafts: readonly Draft[],
  call = callOptions(),
): Promise<readonly WriteResult[]> {
  return store.write(
    drafts.map((draft): Mutation<Uint8Array> => ({ version: newVersion(), ...draft })),
    call,
  )
}

/** Write one thing. */
export async function write(store: MemcachedStore, draft: Draft, call = callOptions()): Promise<WriteResult> {
  return (await writeAll(store, [draft], call))[0] as WriteResult
}

/** Set a text and answer its version. */
export async function set(
  store: MemcachedStore,
  key: string,
  text: string,
  expiresAt?: number | 'keep',
): Promise<string> {
  const version = newVersion()
  const result = await write(store, { type: 'set', key, value: Buffer.from(text), version, expiresAt })
  if (result instanceof Error) throw result
  return version
}

/** Read one thing. */
export async function read(
  store: MemcachedStore,
  key: string,
  call = callOptions(),
  how: Omit<Read, 'key'> = {},
): Promise<ReadResult<Uint8Array>> {
  return (await store.read([{ key, ...how }], call))[0]
}

/** The bytes of a key that is there. */
export async function bytes(store: MemcachedStore, key: string): Promise<Uint8Array> {
  const found = await read(store, key)
  if (found === undefined || !('value' in found)) throw new Error('There is no value.')
  return found.value
}

/** The text of a key. */
export async function text(store: MemcachedStore, key: string): Promise<string | undefined> {
  const found = await read(store, key)
  if (found instanceof Error) throw found
  return found !== undefined && 'value' in found ? Buffer.from(found.value).toString() : undefined
}

/** The code of the error that this ends with. */
export async function codeOf(work: Promise<unknown>): Promise<string | undefined> {
  try {
    return ((await work) as { readonly code?: string } | undefined)?.code
  } catch (error) {
    return (error as { readonly code?: string }).code
  }
}
