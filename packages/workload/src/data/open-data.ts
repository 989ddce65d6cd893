import { stat } from 'node:fs/promises'
import { extname } from 'node:path'
import { StoreError } from '@unikv/core'
import type { DataSource } from './data-source.ts'
import { filesSource } from './files.ts'
import { moduleSource } from './module.ts'
import { synthetic } from './synthetic.ts'

/** Which data, as on the command line. */
export interface DataRequest {
  /** `['synthetic']`, one module, or directories and files. */
  readonly data: readonly string[]
  readonly seed: number
  /** Of synthetic data. @default 0.5 */
  readonly compressibility?: number | undefined
}

const moduleExtensions = new Set(['.js', '.mjs', '.cjs', '.ts', '.mts'])

/**
 * The data source that a request names: the word `synthetic`, a module whose default export makes objects, or
 * directories and files.
 *
 * @throws {StoreError} `INVALID_ARGUMENT` if it is not there, cannot be read, or kinds are mixed
 */
export async function openData({ data, seed, compressibility }: DataRequest): Promise<DataSource> {
  const modules = data.filter((path) => moduleExtensions.has(extname(path)))
  const only = data[0] ?? 'synthetic'
  if (data.length > 1 && (modules.length > 0 || data.includes('synthetic'))) {
    throw new StoreError(
      'INVALID_ARGUMENT',
      'Data: several are possible only if all are directories or files.',
    )
  }
  if (only === 'synthetic')
    return synthetic({ seed, ...(compressibility === undefined ? {} : { compressibility }) })
  if (compressibility !== undefined) {
    throw new StoreError('INVALID_ARGUMENT', 'The compressibility is a property of synthetic data only.')
  }
  return (await isModule(only)) ? moduleSource(only, seed) : filesSource(data, seed)
}

/** A directory may well be called `chart.js`. */
async function isModule(path: string): Promise<boolean> {
  if (!moduleExtensions.has(extname(path))) return false
  const found = await stat(path).catch(() => undefined)
  return found?.isDirectory() !== true
}
