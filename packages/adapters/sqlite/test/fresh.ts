import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Bytes, type Mutation, newVersion, type Store, type WriteResult } from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { type SqliteOptions, type SqliteStore, sqlite } from '@unikv/sqlite'
import { afterAll, afterEach } from 'vitest'

let folder: Promise<string> | undefined
let paths = 0
const open: { close(): Promise<void> }[] = []

afterEach(async () => {
  await Promise.all(open.splice(0).map((store) => store.close()))
})
afterAll(async () => {
  if (folder !== undefined) await rm(await folder, { recursive: true, force: true })
})

/** A path where nothing is, in a folder that is removed at the end. */
export async function newPath(): Promise<string> {
  folder ??= mkdtemp(join(tmpdir(), 'unikv-sqlite-'))
  return join(await folder, `${++paths}.db`)
}

/** A store that is closed after the test. */
export function opened<const O extends SqliteOptions>(options: O): SqliteStore<O> {
  const store = sqlite(options)
  open.push(store)
  return store
}

/** A mutation without its version. */
export type Draft<V> =
  Mutation<V> extends infer M ? (M extends Mutation<V> ? Omit<M, 'version'> : never) : never

/** Write several things as one call. */
export async function write<V>(
  store: Store<V>,
  drafts: readonly Draft<V>[],
  call = callOptions(),
): Promise<readonly WriteResult[]> {
  return store.write(
    drafts.map((draft) => ({ version: newVersion(), ...draft })),
    call,
  )
}

/** Set a text. */
export async function set(
  store: Store<Bytes>,
  key: string,
  text: string,
  call = callOptions(),
): Promise<void> {
  const [result] = await write(store, [{ type: 'set', key, value: Buffer.from(text) }], call)
  if (result instanceof Error) throw result
}

/** The text of a key. */
export async function text(
  store: Store<Bytes>,
  key: string,
  call = callOptions(),
): Promise<string | undefined> {
  const [found] = await store.read([{ key }], call)
  if (found instanceof Error) throw found
  return found !== undefined && 'value' in found ? Buffer.from(found.value).toString() : undefined
}

/** The code of the error that this ends with. */
export async function codeOf(run: () => unknown): Promise<unknown> {
  try {
    const result: unknown = await run()
    const first: unknown = Array.isArray(result) ? result[0] : result
    return (first as { readonly code?: unknown } | undefined)?.code
  } catch (error) {
    return (error as { readonly code?: unknown }).code
  }
}
