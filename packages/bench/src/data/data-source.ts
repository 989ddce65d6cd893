import { type Bytes, StoreError } from '@unikv/core'

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
  return new StoreError(
    'INVALID_ARGUMENT',
    `The data holds ${totalBytes} bytes, too few for objects of ${size} bytes. Use more data or smaller sizes; data is not padded.`,
  )
}
