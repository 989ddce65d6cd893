import { compression } from '@unikv/compression'
import { StoreError } from '@unikv/core'
import { type DataSource, pointsOf, type SizePoint } from '../data/data-source.ts'
import type { FilesSource } from '../data/files.ts'
import type { CacheTarget, StoreTarget } from '../run/target.ts'
import type { SizesConfig } from './config.ts'
import { formatSize, maxObjectBytes } from './size-list.ts'

/**
 * Refuse, before anything is sent, what could only fail later.
 *
 * @throws {StoreError} `INVALID_CONFIG`, `INVALID_ARGUMENT` or `UNSUPPORTED`, with one sentence that names the culprit
 */
export function checkRun(
  config: SizesConfig,
  stores: readonly StoreTarget[],
  caches: readonly CacheTarget[],
  points: readonly SizePoint[],
): void {
  if (stores.length === 0) throw new StoreError('INVALID_CONFIG', 'There is no store to measure.')
  checkNames('store', stores)
  checkNames('cache', caches)
  const remote = caches.filter((cache) => cache.kind === 'remote')
  for (const target of [...stores, ...remote]) checkSizes(target, points)
  // refuses an algorithm whose package is missing, and says how to install it
  for (const algorithm of config.compression) compression({ algorithm })
}

/**
 * The places on the size axis: the configured sizes, or classes of whole files.
 *
 * @throws {StoreError} `INVALID_ARGUMENT` if whole files are asked for and the data is none
 */
export function sizePoints(config: Pick<SizesConfig, 'sizes'>, data: DataSource): SizePoint[] {
  if (config.sizes !== 'files') return pointsOf(data, config.sizes)
  if (data.kind !== 'files') {
    throw new StoreError('INVALID_ARGUMENT', 'Whole files as sizes need files as data: name a directory.')
  }
  return (data as FilesSource).wholeFiles()
}

/**
 * Ask a user's function for an object of each point: one of another length is rejected before anything is sent.
 *
 * @throws {StoreError} `INVALID_VALUE`
 */
export async function tryData({ kind }: DataSource, points: readonly SizePoint[]): Promise<void> {
  if (kind !== 'module') return
  for (const point of points) await point.objects(1)
}

/** Names of targets are distinct, and fit into file names. */
export function checkNames(what: string, targets: readonly { readonly name: string }[]): void {
  const seen = new Set<string>()
  for (const { name } of targets) {
    if (!/^[A-Za-z0-9][A-Za-z0-9_-]{0,31}$/.test(name)) {
      const rule = 'a name begins with a letter or digit, and has up to 32 letters, digits, - and _'
      throw new StoreError('INVALID_CONFIG', `'${name}' cannot name a ${what}: ${rule}.`)
    }
    if (seen.has(name)) {
      throw new StoreError(
        'INVALID_CONFIG',
        `Two of the ${what}s are called '${name}': name them apart with name=URL.`,
      )
    }
    seen.add(name)
  }
}

function checkSizes({ name, store }: StoreTarget, points: readonly SizePoint[]): void {
  const limit = Math.min(store.capabilities.maxValueBytes, maxObjectBytes)
  const largest = Math.max(...points.map(({ range }) => range[1]))
  if (largest <= limit) return
  throw new StoreError(
    'INVALID_ARGUMENT',
    `Objects of ${formatSize(largest)} are too large for ${name}, which takes ${formatSize(limit)}.`,
  )
}
