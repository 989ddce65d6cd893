import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Mutation } from '@unikv/core'
import { type SqliteOptions, type SqliteStore, sqlite } from '@unikv/sqlite'
import type { Unversioned } from '@unikv/test-kit'
import { afterAll, afterEach } from 'vitest'

export { codeOf, readText as text, setText as set, writeAll as write } from '@unikv/test-kit'

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
export type Draft<V> = Unversioned<Mutation<V>>
