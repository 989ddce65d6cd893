/**
 * Quantile of Student's t distribution: the value that lies above a share `probability` of it, such as
 * 4.302653 for 0.975 and 2 degrees of freedom.
 *
 * @throws {RangeError} if the probability is not within (0, 1) or there is no degree of freedom
 */
export function studentTQuantile(probability: number, degreesOfFreedom: number): number {
  if (!(probability > 0 && probability < 1)) throw new RangeError('A probability must be between 0 and 1.')
  if (!(degreesOfFreedom > 0)) throw new RangeError('Student’s t needs more than 0 degrees of freedom.')
  if (probability < 0.5) return -studentTQuantile(1 - probability, degreesOfFreedom)
  let low = 0
  let high = 1
  while (studentTCumulative(high, degreesOfFreedom) < probability) high *= 2
  for (let step = 0; step < 200 && high - low > 1e-14 * high; step++) {
    const middle = (low + high) / 2
    if (studentTCumulative(middle, degreesOfFreedom) < probability) low = middle
    else high = middle
  }
  return (low + high) / 2
}

/** Share of Student's t distribution that lies below `t`. */
export function studentTCumulative(t: number, degreesOfFreedom: number): number {
  const tail = incompleteBeta(degreesOfFreedom / (degreesOfFreedom + t * t), degreesOfFreedom / 2, 0.5) / 2
  return t > 0 ? 1 - tail : tail
}

/** Regularised incomplete beta function I_x(a, b), DLMF 8.17. */
function incompleteBeta(x: number, a: number, b: number): number {
  if (x <= 0) return 0
  if (x >= 1) return 1
  if (x > (a + 1) / (a + b + 2)) return 1 - incompleteBeta(1 - x, b, a) // the side where the fraction converges fast
  const front = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x))
  return front / (a * betaFraction(x, a, b))
}

/** The continued fraction of DLMF 8.17.22, from the inside out: 40 terms reach double precision on this side. */
function betaFraction(x: number, a: number, b: number): number {
  let value = 1
  for (let m = 200; m >= 1; m--) {
    const odd = (-(a + m - 1) * (a + b + m - 1) * x) / ((a + 2 * m - 2) * (a + 2 * m - 1))
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m))
    value = 1 + odd / (1 + even / value)
  }
  return value
}

/** ln Γ(x) for x > 0: Stirling's series (DLMF 5.11.1) after shifting x to where it converges to double precision. */
export function logGamma(x: number): number {
  let shifted = x
  let product = 1
  while (shifted < 10) product *= shifted++
  const inverse = 1 / (shifted * shifted)
  const series =
    (1 / 12 - inverse * (1 / 360 - inverse * (1 / 1260 - inverse * (1 / 1680 - inverse / 1188)))) / shifted
  return (
    (shifted - 0.5) * Math.log(shifted) - shifted + Math.log(2 * Math.PI) / 2 + series - Math.log(product)
  )
}

/** Share of the standard normal distribution that lies above `z`, with full relative precision in both tails. */
export function normalTail(z: number): number {
  if (z < 0) return 1 - normalTail(-z)
  const density = Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)
  return z < 3 ? 0.5 - density * centreSeries(z) : density / tailFraction(z)
}

/**
 * The value that lies above a share `probability` of the standard normal distribution, such as 1.959964 for 0.975.
 *
 * @throws {RangeError} if the probability is not within (0, 1)
 */
export function normalQuantile(probability: number): number {
  if (!(probability > 0 && probability < 1)) throw new RangeError('A probability must be between 0 and 1.')
  if (probability < 0.5) return -normalQuantile(1 - probability)
  let [low, high] = [0, 10]
  for (let step = 0; step < 60; step++) {
    const middle = (low + high) / 2
    if (normalTail(middle) > 1 - probability) low = middle
    else high = middle
  }
  return (low + high) / 2
}

/** DLMF 7.6.2: z + z³/3 + z⁵/(3·5) + …, all terms above 0. */
function centreSeries(z: number): number {
  let sum = 0
  let term = z
  for (let odd = 3; term > 1e-18 * sum; odd += 2) {
    sum += term
    term *= (z * z) / odd
  }
  return sum
}

/** DLMF 7.9.1: z + 1/(z + 2/(z + 3/…)), from the inside out; 100 terms reach double precision from z = 3 on. */
function tailFraction(z: number): number {
  let value = z
  for (let term = 100; term >= 1; term--) value = z + term / value
  return value
}
