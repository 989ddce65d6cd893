/** Buckets of a power of two: a percentile is off by at most 1/128 of its value. */
const subBuckets = 64
const bits = 6
const twoTo32 = 2 ** 32
/** A larger value counts in the last bucket: 2^42 nanoseconds are 73 minutes. */
const highest = 2 ** 42 - 1

/**
 * A log-linear histogram of nanoseconds: exact below 128, and above it 64 buckets for each power of two. Recording
 * costs some three nanoseconds; count, sum, minimum and maximum are exact.
 */
export class Histogram {
  count = 0
  sum = 0
  min: number = Number.POSITIVE_INFINITY
  max = 0
  #counts: Uint32Array | Float64Array = new Uint32Array(bucketOf(highest) + 1)

  /** Count one value; what is negative or no number counts as 0. */
  record(value: number): void {
    const checked = value > 0 ? value : 0
    this.count++
    this.sum += checked
    if (checked < this.min) this.min = checked
    if (checked > this.max) this.max = checked
    const bucket = bucketOf(checked < highest ? checked : highest)
    const counted = (this.#counts[bucket] as number) + 1
    if (counted === twoTo32) this.#counts = Float64Array.from(this.#counts)
    this.#counts[bucket] = counted
  }

  /** The value that this share (0 to 1) of all values do not exceed; 0 of an empty histogram. */
  quantile(share: number): number {
    const rank = Math.max(1, Math.ceil(share * this.count - 1e-9))
    if (rank >= this.count) return this.max
    let seen = 0
    let bucket = -1
    while (seen < rank) seen += this.#counts[++bucket] as number
    return Math.min(this.max, Math.max(this.min, middleOf(bucket)))
  }
}

/** Numbered without gaps: the number of the power of two shifts the leading bits of the value to their place. */
function bucketOf(value: number): number {
  if (value >= twoTo32) return bucketOfLarge(value)
  const word = value >>> 0
  const shift = 31 - bits - Math.clz32(word)
  return shift <= 0 ? word : shift * subBuckets + (word >>> shift)
}

function bucketOfLarge(value: number): number {
  const shift = 63 - bits - Math.clz32(value / twoTo32)
  return shift * subBuckets + Math.floor(value / 2 ** shift)
}

function middleOf(bucket: number): number {
  const shift = Math.max(0, Math.floor(bucket / subBuckets) - 1)
  const width = 2 ** shift
  return (bucket - shift * subBuckets) * width + (width - 1) / 2
}
