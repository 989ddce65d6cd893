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
