import { existsSync } from 'node:fs'
import { link, mkdir, open, readFile, rename, unlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { keyValue } from '@unikv/core'
import { file } from '@unikv/file'
import { type Client, type Entrants, ofKeyValue } from '../measure/entrants.ts'
import { inFolder } from './folder.ts'
import { liveIn, recordOf } from './records.ts'

const headBytes = 256
/** Where files are in memory, if there is such a place: on a disk the place that ext4 finds for a folder decides more than all else. */
const inMemory = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()

/**
 * Files changed by hand as the store changes them, so that of two processes one wins: a record is looked at, claimed by a
 * link, looked at again and replaced by one that was written beside it. Values have their version and expiry before them,
 * and what has expired is left out; keys are bare.
 */
export const overFiles: Entrants = {
  unikv: () =>
    inFolder(
      async (directory) => ofKeyValue(keyValue(file({ directory, durability: 'buffered' }))),
      inMemory,
    ),
  native: () => inFolder(nativeFiles, inMemory),
}

async function nativeFiles(folder: string): Promise<Client> {
  const records = join(folder, 'native')
  const identity = join(folder, 'writer')
  await mkdir(records)
  await writeFile(identity, '')
  const pathOf = (key: string): string => join(records, encodeURIComponent(key))
  let written = 0
  const change = async (path: string, replace: () => Promise<unknown>): Promise<void> => {
    const claim = join(folder, `claim-${written++}`)
    await link(identity, claim)
    await headOf(path)
    await replace()
    await unlink(claim)
  }
  return {
    insert: async (key: string, value: Buffer) => {
      const path = pathOf(key)
      const temporary = join(folder, `${written++}.tmp`)
      const isThere = await headOf(path)
      await writeFile(temporary, recordOf(value), { flag: 'wx' })
      if (isThere) return change(path, () => rename(temporary, path))
      await link(temporary, path)
      return unlink(temporary)
    },
    read: async (key: string) => liveIn(await readFile(pathOf(key))),
    delete: async (key: string) => {
      const path = pathOf(key)
      if (await headOf(path)) await change(path, () => unlink(path))
    },
    close: async () => undefined,
  }
}

/** Whether there is a record, of which the head was read. */
async function headOf(path: string): Promise<boolean> {
  const handle = await open(path).catch(() => undefined)
  if (handle === undefined) return false
  await handle.read(Buffer.allocUnsafe(headBytes), 0, headBytes, 0)
  await handle.close()
  return true
}
