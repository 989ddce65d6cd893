import { Histogram, type HistogramData } from './histogram.ts'

/** A histogram as JSON: its exact figures, and only the buckets that counted something. Merging copies loses nothing. */
export interface HistogramJson {
  readonly precisionBits: number
  readonly highest: number
  readonly count: number
  readonly sum: number
  /** `null` if it is empty. */
  readonly min: number | null
  /** `null` if it is empty. */
  readonly max: number | null
  readonly overflows: number
  /** Number of a bucket and its count, by rising number. */
  readonly buckets: readonly (readonly [bucket: number, count: number])[]
}

/** From here on a count may not fit into 32 bits. */
const TWO_32 = 0x1_0000_0000

/**
 * The JSON form of a histogram.
 *
 * @throws {RangeError} if it counted `Infinity`, which JSON cannot hold
 */
export function histogramJson(histogram: Histogram): HistogramJson {
  const { counts, min, max, ...figures } = histogram.data()
  if (!Number.isFinite(figures.sum))
    throw new RangeError('A histogram with an infinite sum has no JSON form.')
  const buckets: [number, number][] = []
  for (let bucket = 0; bucket < counts.length; bucket++) {
    const count = counts[bucket] as number
    if (count > 0) buckets.push([bucket, count])
  }
  const isEmpty = figures.count === 0
  return { ...figures, min: isEmpty ? null : min, max: isEmpty ? null : max, buckets }
}

/**
 * The histogram that `histogramJson` wrote.
 *
 * @throws {RangeError} if the options make no sense, or if the buckets do not add up to `count`
 */
export function histogramOf(json: HistogramJson): Histogram {
  const { precisionBits, highest, buckets, min, max, count } = json
  const data: HistogramData = {
    ...new Histogram({ precisionBits, highest }).data(),
    count,
    sum: json.sum,
    min: min ?? Number.POSITIVE_INFINITY,
    max: max ?? Number.NEGATIVE_INFINITY,
    overflows: json.overflows,
  }
  const problem = inconsistency(json, data.counts.length)
  if (problem !== undefined) throw new RangeError(problem)
  const counts = count >= TWO_32 ? Float64Array.from(data.counts) : data.counts
  for (const [bucket, found] of buckets) counts[bucket] = found
  return Histogram.from({ ...data, counts })
}

/** The contradiction in the JSON of a histogram that has so many buckets, if there is one. */
function inconsistency({ buckets, count, min, max }: HistogramJson, size: number): string | undefined {
  let total = 0
  let last = -1
  for (const [bucket, found] of buckets) {
    if (!(bucket > last)) return `Buckets of a histogram must rise: ${bucket} follows ${last}.`
    last = bucket
    total += found
  }
  if (last >= size) return `A histogram of this precision and range has ${size} buckets, got number ${last}.`
  if (total !== count) return `The buckets of a histogram hold ${total} values, but its count is ${count}.`
  const isEmpty = count === 0
  if ((min === null) !== isEmpty || (max === null) !== isEmpty)
    return 'A histogram must have `min` and `max` exactly if it counted a value.'
  return undefined
}
