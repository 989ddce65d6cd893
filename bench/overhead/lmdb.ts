import { createRequire } from 'node:module'
import { keyValue } from '@unikv/core'
import { lmdb } from '@unikv/lmdb'
import { type Client, type Entrants, ofKeyValue } from '../measure/entrants.ts'
import { inFolder } from './folder.ts'
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
export const overLmdb: Entrants = {
  unikv: () => inFolder(async (path) => ofKeyValue(keyValue(lmdb({ path })))),
  native: () => inFolder(nativeLmdb),
}

async function nativeLmdb(path: string): Promise<Client> {
  const root = openNative(path)
  const database = root.openDB('native', { encoding: 'binary' })
  return {
    insert: (key: string, value: Buffer) => database.put(key, recordOf(value)),
    read: async (key: string) => liveIn(database.getBinary(key)),
    delete: (key: string) => database.remove(key),
    close: () => root.close(),
  }
}
