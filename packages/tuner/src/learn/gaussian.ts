/** State of a distribution, from which it can be made again. */
export type GaussianState = readonly [
  weight: number,
  mean: number,
  least: number,
  most: number,
  spread: number,
]

/** Weighted values of one kind, as a normal distribution. */
export class Gaussian {
  weight: number
  mean: number
  least: number
  most: number
  /** Sum of the weighted squared differences from the mean. */
  #spread: number
  /** Computed when it is asked for. */
  #deviation: number | undefined
  #logDeviation = 0

  constructor([weight, mean, least, most, spread]: GaussianState) {
    this.weight = weight
    this.mean = mean
    this.least = least
    this.most = most
    this.#spread = spread
  }

  /** A distribution that has seen one value. */
  static of(value: number, weight: number): Gaussian {
    return new Gaussian([weight, value, value, value, 0])
  }

  get state(): GaussianState {
    return [this.weight, this.mean, this.least, this.most, this.#spread]
  }

  add(value: number, weight: number): void {
    this.weight += weight
    const difference = value - this.mean
    this.mean += (difference * weight) / this.weight
    this.#spread += weight * difference * (value - this.mean)
    if (value < this.least) this.least = value
    if (value > this.most) this.most = value
    this.#deviation = undefined
  }

  get deviation(): number {
    if (this.#deviation !== undefined) return this.#deviation
    this.#deviation = this.weight > 1 ? Math.sqrt(Math.max(0, this.#spread) / (this.weight - 1)) : 0
    this.#logDeviation = Math.log(this.#deviation)
    return this.#deviation
  }

  /** Logarithm of the density at a value. Values that are all alike have their whole density there. */
  logDensity(value: number): number {
    const { deviation } = this
    if (deviation === 0) return value === this.mean ? 0 : Number.NEGATIVE_INFINITY
    const z = (value - this.mean) / deviation
    return -0.5 * z * z - this.#logDeviation - halfLogTwoPi
  }

  /** The weight of values up to this one. */
  upTo(value: number): number {
    if (value < this.least) return 0
    if (value >= this.most) return this.weight
    const { deviation } = this
    if (deviation === 0) return value < this.mean ? 0 : this.weight
    return this.weight * normalShare((value - this.mean) / deviation)
  }
}

const halfLogTwoPi = 0.5 * Math.log(2 * Math.PI)

/** Share of a standard normal distribution below z; Abramowitz and Stegun 26.2.17, to 7.5e-8. */
function normalShare(z: number): number {
  const t = 1 / (1 + 0.2316419 * Math.abs(z))
  const series =
    t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))))
  const tail = Math.exp(-0.5 * z * z - halfLogTwoPi) * series
  return z < 0 ? tail : 1 - tail
}
