import { link, mkdir, mkdtemp, open, readFile, rename, rm, unlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { keyValue } from '@unikv/core'
import { file } from '@unikv/file'
import { type Entrants, ofKeyValue } from '../measure/overhead.ts'

const headBytes = 256

/**
 * Files changed by hand as the store changes them, so that of two processes one wins: a record is looked at, claimed by a
 * link, looked at again and replaced by one that was written beside it. Keys and values are bare.
 */
export async function overFiles(): Promise<Entrants> {
  const folder = await mkdtemp(join(tmpdir(), 'unikv-overhead-'))
  const kv = keyValue(file({ directory: join(folder, 'files'), durability: 'buffered' }))
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
  const native = {
    insert: async (key: string, value: Buffer) => {
      const path = pathOf(key)
      const temporary = join(folder, `${written++}.tmp`)
      const isThere = await headOf(path)
      await writeFile(temporary, value, { flag: 'wx' })
      if (isThere) return change(path, () => rename(temporary, path))
      await link(temporary, path)
      return unlink(temporary)
    },
    read: (key: string) => readFile(pathOf(key)),
    delete: async (key: string) => {
      const path = pathOf(key)
      if (await headOf(path)) await change(path, () => unlink(path))
    },
  }
  const close = async (): Promise<void> => {
    await kv.close()
    await rm(folder, { recursive: true, force: true })
  }
  return { native, unikv: ofKeyValue(kv), close }
}

/** Whether there is a record, of which the head was read. */
async function headOf(path: string): Promise<boolean> {
  const handle = await open(path).catch(() => undefined)
  if (handle === undefined) return false
  await handle.read(Buffer.allocUnsafe(headBytes), 0, headBytes, 0)
  await handle.close()
  return true
}
