import type { Bytes, StoreError } from '@unikv/core'
import { z } from 'zod'
import { invalidArgument } from '../options/invalid.ts'
import { option } from '../options/option.ts'
import { maxSizes, parseSizes, sizeText } from './size-list.ts'

/** Where objects to store come from. The same seed gives the same objects. */
export interface DataSource {
  readonly kind: 'synthetic' | 'files' | 'module'
  /** One line for the report, such as `213 files of ./docs, 1.2 MB`. */
  readonly description: string
  /**
   * Largest object that it can give, so that a larger one is rejected before anything is sent.
   * @default Infinity
   */
  readonly largestBytes?: number | undefined
  /**
   * `count` objects of exactly `size` bytes.
   *
   * @throws {StoreError} `INVALID_ARGUMENT` if it has no objects of this size
   */
  objects(size: number, count: number): Promise<readonly Bytes[]>
}

/** The user's own files as data. */
export interface FilesSource extends DataSource {
  readonly kind: 'files'
  /** How many bytes all files hold together. */
  readonly totalBytes: number
  /**
   * Whole files as they are, in classes of like size (from 1, 2, 5, 10, … bytes upwards); the place of a class on
   * the size axis is the mean of its files.
   */
  wholeFiles(): SizePoint[]
}

/** One place on the size axis, and the objects that are measured there. */
export interface SizePoint {
  /** Bytes: of every object, or of the mean object where whole files are taken. */
  readonly size: number
  /** Smallest and largest object in bytes. */
  readonly range: readonly [min: number, max: number]
  /** Most distinct objects that there are. @default Infinity */
  readonly available?: number | undefined
  /** Distinct objects, in a seeded order; fewer than `count` if there are no more. */
  readonly objects: (count: number) => Promise<readonly Bytes[]>
}

/**
 * One point a size, with objects cut or made to it.
 *
 * @throws {StoreError} `INVALID_ARGUMENT` if the source cannot give objects of a size
 */
export function pointsOf(source: DataSource, sizes: readonly number[]): SizePoint[] {
  const { largestBytes = Number.POSITIVE_INFINITY } = source
  const tooLarge = sizes.find((size) => size > largestBytes)
  if (tooLarge !== undefined) throw tooLittleData(tooLarge, largestBytes)
  return sizes.map((size) => ({ size, range: [size, size], objects: (count) => source.objects(size, count) }))
}

/** The data has fewer bytes than an object needs. */
export function tooLittleData(size: number, totalBytes: number): StoreError {
  return invalidArgument(
    `The data holds ${totalBytes} bytes, too few for objects of ${size} bytes. Use more data or smaller sizes; data is not padded.`,
  )
}

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
    throw invalidArgument('Whole files as sizes need files as data: name a directory.')
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
