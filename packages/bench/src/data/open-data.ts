import { stat } from 'node:fs/promises'
import { extname } from 'node:path'
import { StoreError } from '@unikv/core'
import { checkOptions, type OptionNames } from '@unikv/core/adapter'
import type { DataSource } from './data-source.ts'
import { filesSource } from './files.ts'
import { moduleSource } from './module.ts'
import { synthetic } from './synthetic.ts'

/** Which data, as on the command line. */
export interface DataRequest {
  /** `['synthetic']`, one module alone, or directories and files. */
  readonly data: readonly string[]
  readonly seed: number
  /** Compressibility of synthetic data, 0 to 1. @default 0.5 */
  readonly compressibility?: number | undefined
}

const requestNames: OptionNames<DataRequest> = { data: true, seed: true, compressibility: true }

const moduleExtensions = new Set(['.js', '.mjs', '.cjs', '.ts', '.mts'])

/**
 * The data source that a request names: the word `synthetic`, a module whose default export makes objects, or
 * directories and files (among which a module is a text like any other).
 *
 * @throws {StoreError} `INVALID_ARGUMENT` if it is not there or cannot be read, or for synthetic and real data together
 */
export async function openData(request: DataRequest): Promise<DataSource> {
  checkOptions('openData', request, requestNames, 'INVALID_ARGUMENT')
  const { data, seed, compressibility } = request
  const only = data[0] ?? 'synthetic'
  if (data.length > 1 && data.includes('synthetic')) {
    throw new StoreError(
      'INVALID_ARGUMENT',
      'Data is either synthetic or real: several directories and files, or a module.',
    )
  }
  if (only === 'synthetic')
    return synthetic({ seed, ...(compressibility === undefined ? {} : { compressibility }) })
  if (compressibility !== undefined) {
    throw new StoreError('INVALID_ARGUMENT', 'The compressibility applies only to synthetic data.')
  }
  return data.length === 1 && (await isModule(only)) ? moduleSource(only, seed) : filesSource(data, seed)
}

/** A directory may well be called `chart.js`. */
async function isModule(path: string): Promise<boolean> {
  if (!moduleExtensions.has(extname(path))) return false
  const found = await stat(path).catch(() => undefined)
  return found?.isDirectory() !== true
}
