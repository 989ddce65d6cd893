/** Share of the standard normal distribution that lies above `z`, with full relative precision in both tails. */
export function normalTail(z: number): number {
  if (z < 0) return 1 - normalTail(-z)
  const density = Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)
  return z < 3 ? 0.5 - density * centreSeries(z) : density / tailFraction(z)
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
