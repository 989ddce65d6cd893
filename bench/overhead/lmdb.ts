import { mkdtemp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { keyValue } from '@unikv/core'
import { lmdb } from '@unikv/lmdb'
import { type Entrants, ofKeyValue } from '../measure/overhead.ts'
import { liveIn, recordOf } from './records.ts'

interface NativeLmdb {
  put(key: string, value: Uint8Array): Promise<boolean>
  remove(key: string): Promise<boolean>
  getBinary(key: string): Buffer | undefined
}

interface NativeRoot {
  openDB(name: string, options: object): NativeLmdb
  close(): Promise<void>
}

/** By `require`, as the types of lmdb do not pass without `skipLibCheck`. */
function openNative(path: string): NativeRoot {
  const driver = createRequire(import.meta.url)('lmdb') as { open(options: object): NativeRoot }
  return driver.open({ path, overlappingSync: false, eventTurnBatching: false })
}

/**
 * A database of lmdb-js in an environment with the same options: a commit is acknowledged when it is on the disk. Values
 * have their version and expiry before them, and what has expired is left out.
 */
export async function overLmdb(): Promise<Entrants> {
  const folder = await mkdtemp(join(tmpdir(), 'unikv-overhead-'))
  const root = openNative(join(folder, 'native'))
  const database = root.openDB('native', { encoding: 'binary' })
  const kv = keyValue(lmdb({ path: join(folder, 'unikv') }))
  const native = {
    insert: (key: string, value: Buffer) => database.put(key, recordOf(value)),
    read: async (key: string) => liveIn(database.getBinary(key)),
    delete: (key: string) => database.remove(key),
  }
  const close = async (): Promise<void> => {
    await Promise.all([root.close(), kv.close()])
    await rm(folder, { recursive: true, force: true })
  }
  return { native, unikv: ofKeyValue(kv), close }
}
