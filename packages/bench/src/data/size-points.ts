import { StoreError } from '@unikv/core'
import { z } from 'zod'
import { option } from '../options/option.ts'
import { type DataSource, pointsOf, type SizePoint } from './data-source.ts'
import type { FilesSource } from './files.ts'
import { maxSizes, parseSizes, sizeText } from './size-list.ts'

/**
 * The places on the size axis: the configured sizes, or classes of whole files.
 *
 * @throws {StoreError} `INVALID_ARGUMENT` if whole files are asked for and the data is none
 */
export function sizePoints(
  config: { readonly sizes: readonly number[] | 'files' },
  data: DataSource,
): SizePoint[] {
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

/** The option of sizes: `files`, or what `parseSizes` takes. */
export const sizeAxis = option(z.union([z.literal('files'), z.array(z.int().min(1)).min(1).max(maxSizes)]), {
  help: 'list or range of bytes, such as 100,1K,10K or 1K..1M:2; "files": whole files',
  argument: '<sizes>',
  parse: (given) => (given.trim() === 'files' ? 'files' : parseSizes(given)),
  textOf: (sizes) => (sizes as readonly number[]).map(sizeText).join(','),
})
