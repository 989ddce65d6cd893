import { mkdtemp, readFile, rename, rm, unlink, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { keyValue } from '@unikv/core'
import { file } from '@unikv/file'
import { lmdb } from '@unikv/lmdb'
import { type Entrants, ofKeyValue } from '../measure/overhead.ts'

interface NativeLmdb {
  put(key: string, value: Uint8Array): Promise<boolean>
  remove(key: string): Promise<boolean>
  getBinary(key: string): Buffer | undefined
  close(): Promise<void>
  readonly flushed: PromiseLike<unknown>
}

/** By `require`, as the types of lmdb do not pass without `skipLibCheck`. */
function openNative(path: string): NativeLmdb {
  const driver = createRequire(import.meta.url)('lmdb') as { open(options: object): NativeLmdb }
  return driver.open({ path, encoding: 'binary' })
}

/** lmdb-js, acknowledged when it is flushed, as `lmdb` does. */
export async function overLmdb(): Promise<Entrants> {
  const folder = await mkdtemp(join(tmpdir(), 'unikv-overhead-'))
  const database = openNative(join(folder, 'native'))
  const kv = keyValue(lmdb({ path: join(folder, 'unikv') }))
  const native = {
    insert: (key: string, value: Buffer) => database.put(key, value).then(() => database.flushed),
    read: async (key: string) => database.getBinary(key),
    delete: (key: string) => database.remove(key).then(() => database.flushed),
  }
  const close = async (): Promise<void> => {
    await Promise.all([database.close(), kv.close()])
    await rm(folder, { recursive: true, force: true })
  }
  return { native, unikv: ofKeyValue(kv), close }
}

/** A file written beside its place and moved there. */
export async function overFiles(): Promise<Entrants> {
  const folder = await mkdtemp(join(tmpdir(), 'unikv-overhead-'))
  const kv = keyValue(file({ directory: join(folder, 'files'), durability: 'buffered' }))
  const pathOf = (key: string): string => join(folder, encodeURIComponent(key))
  let written = 0
  const native = {
    insert: async (key: string, value: Buffer) => {
      const temporary = join(folder, `${written++}.tmp`)
      await writeFile(temporary, value)
      await rename(temporary, pathOf(key))
    },
    read: (key: string) => readFile(pathOf(key)),
    delete: (key: string) => unlink(pathOf(key)).catch(() => {}),
  }
  const close = async (): Promise<void> => {
    await kv.close()
    await rm(folder, { recursive: true, force: true })
  }
  return { native, unikv: ofKeyValue(kv), close }
}
