import { realpath, stat } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { diskPlaceOf, StoreError } from '@unikv/core/adapter'
import type { Place } from './place.ts'

/**
 * Whether two places have the same records, also by different paths. Two names of one database file count as one place even
 * for different tables: each name has a log of its own, and both would write the file.
 */
export async function areSameOnDisk(one: Place, other: Place): Promise<boolean> {
  const [a, b] = [diskPlaceOf(one.store.dataset), diskPlaceOf(other.store.dataset)]
  if (a === undefined || b === undefined || !(await isSameFile(a.path, b.path))) return false
  return a.table === b.table || (await realpath(a.path)) !== (await realpath(b.path))
}

/**
 * Check that a store does not keep its records in a file that will be replaced.
 *
 * @throws {StoreError} `INVALID_ARGUMENT`
 */
export async function refuseOwnFile(
  store: { readonly name: string; readonly dataset?: string | undefined },
  file: string,
): Promise<void> {
  const own = diskPlaceOf(store.dataset)
  const given = own && (await realpath(file).catch(() => undefined))
  if (own === undefined || given === undefined) return
  const folder = await realpath(join(own.path, own.table)).catch(() => undefined)
  const isInside = folder !== undefined && given.startsWith(folder + sep)
  if (
    !isInside &&
    !(await isSameFile(given, own.path)) &&
    !(await isSameFile(given, join(own.path, 'data.mdb')))
  )
    return
  throw new StoreError(
    'INVALID_ARGUMENT',
    `${file} is where ${store.name} keeps its records. Choose another name.`,
  )
}

async function isSameFile(one: string, other: string): Promise<boolean> {
  const [a, b] = await Promise.all([one, other].map((path) => stat(path).catch(() => undefined)))
  return a !== undefined && a.ino === b?.ino && a.dev === b.dev
}
