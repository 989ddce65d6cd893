import type { OptionNames } from '../options/check-options.ts'
import { checkFactoryOptions } from '../options/factory-options.ts'

/** How a histogram divides its range. */
export interface HistogramOptions {
  /**
   * Values below 2^(precisionBits + 1) are counted exactly; above, a bucket is 2^−precisionBits of its value
   * wide and reported at its middle, so a percentile is off by at most half of that (10 bits: 0.05 %).
   * @default 10
   */
  readonly precisionBits?: number | undefined
  /** Largest value with a bucket of its own; larger ones share the last bucket. @default 2^42 − 1 (73 minutes in ns) */
  readonly highest?: number | undefined
}

/** The state of a histogram, for a message to another thread or a file. */
export interface HistogramData {
  readonly precisionBits: number
  readonly highest: number
  readonly counts: Uint32Array | Float64Array
  readonly count: number
  readonly sum: number
  readonly min: number
  readonly max: number
  readonly overflows: number
}

const optionNames: OptionNames<HistogramOptions> = { precisionBits: true, highest: true }

const TWO_32 = 0x1_0000_0000

/**
 * A log-linear histogram of non-negative numbers, such as nanoseconds. Recording costs some three nanoseconds
 * and never throws; count, mean, minimum and maximum are exact; histograms of equal options merge without loss,
 * whereas percentiles must never be averaged.
 */
export class Histogram {
  readonly #bits: number
  readonly #highest: number
  #counts: Uint32Array | Float64Array
  #count = 0
  #sum = 0
  #min = Number.POSITIVE_INFINITY
  #max = Number.NEGATIVE_INFINITY
  #overflows = 0
  /** Its minimum and maximum were told, and may not fit its counts. */
  #isForeign = false

  /** @throws {RangeError} if the options make no sense; `StoreError` with `INVALID_CONFIG` for an unknown one */
  constructor(options: HistogramOptions = {}) {
    checkFactoryOptions('Histogram', options, optionNames)
    const { precisionBits = 10, highest = 2 ** 42 - 1 } = options
    if (!Number.isInteger(precisionBits) || precisionBits < 1 || precisionBits > 16) {
      throw new RangeError('precisionBits must be a whole number from 1 to 16.')
    }
    if (!(highest >= 2 ** (precisionBits + 1) && highest < 2 ** 53)) {
      throw new RangeError('highest must be from 2^(precisionBits + 1) to 2^53.')
    }
    this.#bits = precisionBits
    this.#highest = highest
    this.#counts = new Uint32Array(bucketOf(highest, precisionBits) + 1)
  }

  /** Count one value. Fractions are cut off in buckets only; what is negative or no number counts as 0. */
  record(value: number): void {
    const checked = value > 0 ? value : 0
    this.#count += 1
    this.#sum += checked
    if (checked < this.#min) this.#min = checked
    if (checked > this.#max) this.#max = checked
    if (checked > this.#highest) this.#overflows += 1
    const bucket = bucketOf(checked > this.#highest ? this.#highest : checked, this.#bits)
    const count = (this.#counts[bucket] as number) + 1
    if (count === TWO_32) this.#widen()
    this.#counts[bucket] = count
  }

  /**
   * Count a value of a closed loop whose operations were due every `interval`, together with the operations
   * that it held up: value − interval, value − 2 · interval, … Never for response times of an open loop, which
   * hold that wait already.
   */
  recordCorrected(value: number, interval: number): void {
    this.record(value)
    if (!(interval > 0)) return
    for (let held = value - interval; held >= interval; held -= interval) this.record(held)
  }

  /**
   * Add everything that another histogram counted.
   *
   * @throws {RangeError} if its options differ
   */
  merge(other: Histogram): void {
    if (other.#bits !== this.#bits || other.#highest !== this.#highest) {
      throw new RangeError('Only histograms with the same precision and range can be merged.')
    }
    if (this.#count + other.#count >= TWO_32) this.#widen()
    this.#isForeign ||= other.#isForeign
    const [first, last] = other.#span()
    for (let bucket = first; bucket <= last; bucket++) {
      this.#counts[bucket] = (this.#counts[bucket] as number) + (other.#counts[bucket] as number)
    }
    this.#count += other.#count
    this.#sum += other.#sum
    this.#overflows += other.#overflows
    this.#min = Math.min(this.#min, other.#min)
    this.#max = Math.max(this.#max, other.#max)
  }

  /** The first and the last bucket in which there may be counts: most histograms fill a small part of their range. */
  #span(): readonly [first: number, last: number] {
    if (this.#isForeign) return [0, this.#counts.length - 1]
    if (this.#count === 0) return [0, -1]
    const bucket = (value: number): number => bucketOf(Math.min(value, this.#highest), this.#bits)
    return [bucket(this.#min), bucket(this.#max)]
  }

  get count(): number {
    return this.#count
  }

  /** Smallest value; `NaN` of an empty histogram. */
  get min(): number {
    return this.#count === 0 ? Number.NaN : this.#min
  }

  /** Largest value; `NaN` of an empty histogram. */
  get max(): number {
    return this.#count === 0 ? Number.NaN : this.#max
  }

  /** The exact sum of all values. */
  get sum(): number {
    return this.#sum
  }

  /** Exact mean; `NaN` of an empty histogram. */
  get mean(): number {
    return this.#sum / this.#count
  }

  /** Values above `highest`: they count in the last bucket, `mean` and `max`. */
  get overflows(): number {
    return this.#overflows
  }

  /** Standard deviation of what was counted, from the buckets' middles; `NaN` of an empty histogram. */
  get deviation(): number {
    const mean = this.mean
    let squares = 0
    for (let bucket = 0; bucket < this.#counts.length; bucket++) {
      const count = this.#counts[bucket] as number
      if (count > 0) squares += count * (this.#middleOf(bucket) - mean) ** 2
    }
    return Math.sqrt(squares / this.#count)
  }

  /**
   * The value that `percent` per cent of all values do not exceed (nearest rank), within `min` and `max`;
   * `NaN` of an empty histogram.
   *
   * @throws {RangeError} if `percent` is not within 0 to 100
   */
  percentile(percent: number): number {
    if (!(percent >= 0 && percent <= 100)) throw new RangeError('A percentile must be from 0 to 100.')
    if (this.#count === 0) return Number.NaN
    const rank = Math.min(this.#count, Math.max(1, Math.ceil((this.#count * percent) / 100 - 1e-9)))
    if (rank === this.#count) return this.#max
    let seen = 0
    let bucket = -1
    while (seen < rank) seen += this.#counts[++bucket] as number
    return Math.min(this.#max, Math.max(this.#min, this.#middleOf(bucket)))
  }

  /** How many values are at most this large; those in the same bucket count too. */
  countUpTo(value: number): number {
    if (!(value >= 0)) return 0
    if (value >= this.#highest) return this.#count
    const last = bucketOf(value, this.#bits)
    let count = 0
    for (let bucket = 0; bucket <= last; bucket++) count += this.#counts[bucket] as number
    return count
  }

  /** A copy of the state. */
  data(): HistogramData {
    return {
      precisionBits: this.#bits,
      highest: this.#highest,
      counts: this.#counts.slice(),
      count: this.#count,
      sum: this.#sum,
      min: this.#min,
      max: this.#max,
      overflows: this.#overflows,
    }
  }

  /** A histogram with the state that `data` gave. */
  static from(data: HistogramData): Histogram {
    const { precisionBits, highest } = data
    const histogram = new Histogram({ precisionBits, highest })
    histogram.#counts = data.counts.slice()
    histogram.#count = data.count
    histogram.#sum = data.sum
    histogram.#isForeign = true
    histogram.#min = data.min
    histogram.#max = data.max
    histogram.#overflows = data.overflows
    return histogram
  }

  /** Past 2^32 − 1 in one bucket 32 bits are too few; rare enough to pay for only then. */
  #widen(): void {
    this.#counts = Float64Array.from(this.#counts)
  }

  #middleOf(bucket: number): number {
    const shift = Math.max(0, Math.floor(bucket / 2 ** this.#bits) - 1)
    const width = 2 ** shift
    return (bucket - shift * 2 ** this.#bits) * width + (width - 1) / 2
  }
}

/**
 * Buckets are numbered without gaps: within each power of two above the exact part there are 2^bits of them,
 * and the number of the power shifts the value's leading bits to their place.
 */
function bucketOf(value: number, bits: number): number {
  if (value < TWO_32) {
    const word = value >>> 0
    const shift = 31 - Math.clz32(word) - bits
    return shift <= 0 ? word : (shift << bits) + (word >>> shift)
  }
  const shift = 63 - Math.clz32(value / TWO_32) - bits
  return shift * 2 ** bits + Math.floor(value / 2 ** shift)
}
