import type { Bytes } from '@unikv/core'

/** Where objects to store come from. The same seed gives the same objects. */
export interface DataSource {
  readonly kind: 'synthetic' | 'files' | 'module'
  /** One line for the report, such as `213 files of ./docs, 1.2 MB`. */
  readonly description: string
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

/** One point a size, with objects cut or made to it. */
export function pointsOf(source: DataSource, sizes: readonly number[]): SizePoint[] {
  return sizes.map((size) => ({ size, range: [size, size], objects: (count) => source.objects(size, count) }))
}
