/** Terms that are summed one by one; the formula of Euler and Maclaurin gives the sum of the others to 15 digits. */
const SUMMED = 1_000

/** ζ(n, θ) = Σ i^−θ for i from 1 to n, in a time that does not grow with n. */
export function zeta(items: number, theta: number): number {
  const summed = Math.min(items, SUMMED)
  let sum = 0
  for (let i = summed; i >= 1; i--) sum += i ** -theta // the smallest first, so that rounding does not add up
  return items === summed ? sum : sum + beyond(items, theta) - beyond(summed, theta)
}

/** ∫ x^−θ dx from 1, with no case of its own for θ = 1 (where it is ln x). */
export function integral(x: number, theta: number): number {
  const log = Math.log(x)
  return expm1Ratio((1 - theta) * log) * log
}

/** The `x` whose `integral` is `area`. */
export function inverseIntegral(area: number, theta: number): number {
  const t = Math.max(-1, area * (1 - theta))
  return Math.exp(log1pRatio(t) * area)
}

/** The sum as far as n, but for a constant. */
function beyond(n: number, theta: number): number {
  const last = n ** -theta
  return (
    integral(n, theta) +
    last / 2 -
    (theta * last) / (12 * n) +
    (theta * (theta + 1) * (theta + 2) * last) / (720 * n ** 3)
  )
}

/** (e^x − 1) / x, also near 0. */
function expm1Ratio(x: number): number {
  return Math.abs(x) > 1e-8 ? Math.expm1(x) / x : 1 + x / 2
}

/** ln(1 + x) / x, also near 0. */
function log1pRatio(x: number): number {
  return Math.abs(x) > 1e-8 ? Math.log1p(x) / x : 1 - x / 2
}
