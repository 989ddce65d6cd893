import { statfs } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { formatSize } from '@unikv/bench/words'
import { StoreError } from '@unikv/core'
import { decodedPath } from '@unikv/core/url'
import { isPathUrl, splitUrl } from '@unikv/stores/lazy'
import { kindOf, type NamedUrl } from './versions.ts'

/**
 * Refuse records that the disk of a store in this file system has no space for. Servers are not asked: they tell of no disk.
 *
 * @param bytes of the records of one store
 * @throws {StoreError} `INVALID_CONFIG`
 */
export async function checkDisk(stores: readonly NamedUrl[], bytes: number): Promise<void> {
  for (const { name, url } of stores) {
    if (!isPathUrl(url) || kindOf(url) === 'memory') continue
    const folder = resolve(decodedPath(kindOf(url), splitUrl(url).path))
    const free = await freeBytes(folder)
    if (free === undefined || bytes <= free) continue
    const message = `The records of ${name} take at least ${formatSize(bytes)}, but the disk of ${folder} has ${formatSize(free)} left. Use fewer records, smaller values, or another disk.`
    throw new StoreError('INVALID_CONFIG', message)
  }
}

/** Free bytes of the nearest folder that is there; `undefined`: the system does not tell. */
async function freeBytes(folder: string): Promise<number | undefined> {
  try {
    const { bavail, bsize } = await statfs(folder)
    return bavail * bsize
  } catch (error) {
    const isMissing = ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')
    return isMissing && dirname(folder) !== folder ? freeBytes(dirname(folder)) : undefined
  }
}
