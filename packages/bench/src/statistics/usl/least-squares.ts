import { solved, type UslParameters, type UslPoint, uslThroughput } from './usl-law.ts'

/** The best parameters, and what is known about them. */
export interface LeastSquares {
  readonly parameters: UslParameters
  readonly squares: number
  readonly standardErrors: { readonly [K in keyof UslParameters]: number | null }
  readonly degreesOfFreedom: number
}

/** A point, and how much it counts: its residual is divided by `scale`. */
export interface ScaledPoint extends UslPoint {
  /** @default 1 */
  readonly scale?: number | undefined
}

/** The parameters that a fit may use; the others are 0: a straight line, Amdahl's law, or the whole law. */
export type Freedom = 1 | 2 | 3

/** γ, α, β. The last two have the bounds 0 and 1: where one of them is 1, the law describes nothing. */
type Vector = readonly [gamma: number, alpha: number, beta: number]

interface Candidate {
  readonly at: Vector
  readonly squares: number
}

/** α and β to start from: the usual guess, much contention, a straight line. */
const seeds = [
  [0.05, 1e-4],
  [0.5, 1e-2],
  [0, 0],
] as const

/** The best fit from several starts, since the sum of squares may have more than one valley. */
export function leastSquares(points: readonly ScaledPoint[], freedom: Freedom = 3): LeastSquares {
  const gamma = Math.max(...points.map(({ n, x }) => x / n))
  const starts = seeds.map(
    ([alpha, beta]): Vector => [gamma, freedom > 1 ? alpha : 0, freedom > 2 ? beta : 0],
  )
  const candidates = starts.map((start) => descended(points, start, freedom))
  const { at, squares } = candidates.reduce((best, one) => (one.squares < best.squares ? one : best))
  const free = at.flatMap((value, index) =>
    index === 0 || (value > 0 && !isAtTop(value, index)) ? [index] : [],
  )
  const degreesOfFreedom = points.length - free.length
  const [gammaError, alphaError, betaError] = errorsOf(points, at, free, squares / degreesOfFreedom)
  return {
    parameters: parametersOf(at),
    squares,
    standardErrors: { alpha: alphaError, beta: betaError, gamma: gammaError },
    degreesOfFreedom,
  }
}

/** The parameters of the fit that is found from these, to six digits: one of many, which an interval leaves room for. */
export function refined(
  points: readonly ScaledPoint[],
  { gamma, alpha, beta }: UslParameters,
): UslParameters {
  return parametersOf(descended(points, [gamma, alpha, beta], 3, 1e-6).at)
}

function isAtTop(value: number, index: number): boolean {
  return index > 0 && value >= 1
}

/** Levenberg–Marquardt; steps end at the bounds, and a parameter that a step would push further out stays there. */
function descended(
  points: readonly ScaledPoint[],
  seed: Vector,
  freedom: Freedom,
  tolerance = 1e-14,
): Candidate {
  let best: Candidate = { at: seed, squares: squaresOf(points, seed) }
  let equations = normalEquations(points, seed)
  let damping = 1e-3
  for (let step = 0; step < 1_000 && damping < 1e15; step++) {
    const next = stepped(equations, best.at, damping, freedom)
    const squares = squaresOf(points, next)
    if (squares < best.squares) {
      const hasArrived = next.every((value, i) => Math.abs(value - (best.at[i] ?? 0)) <= tolerance * value)
      best = { at: next, squares }
      if (hasArrived) break
      equations = normalEquations(points, next)
      damping = Math.max(damping / 10, 1e-15)
    } else damping *= 10
  }
  return best
}

function stepped({ normal, gradient }: Equations, at: Vector, damping: number, freedom: Freedom): Vector {
  const free = [0, 1, 2].slice(0, freedom).filter((i) => {
    const pull = gradient[i] as number
    return i === 0 || (isAtTop(at[i] as number, i) ? pull < 0 : (at[i] as number) > 0 || pull > 0)
  })
  const step = solved(
    part(normal, free),
    free.map((i) => gradient[i] as number),
    damping,
  )
  const next: [number, number, number] = [...at]
  for (const [place, i] of free.entries())
    next[i] = Math.min(i > 0 ? 1 : Infinity, Math.max(0, (at[i] as number) + (step[place] as number)))
  return next
}

/** JᵀJ, and Jᵀ times the residuals. */
interface Equations {
  readonly normal: readonly (readonly number[])[]
  readonly gradient: readonly number[]
}

/** Fits are made by the thousand, so this makes no list for each point. */
function normalEquations(points: readonly ScaledPoint[], [gamma, alpha, beta]: Vector): Equations {
  let [byGamma, byAlpha, byBeta] = [0, 0, 0]
  let [gammas, gammaAlpha, gammaBeta, alphas, alphaBeta, betas] = [0, 0, 0, 0, 0, 0]
  for (const { n, x, scale = 1 } of points) {
    const divisor = 1 + alpha * (n - 1) + beta * n * (n - 1)
    const slope = (-gamma * n * (n - 1)) / divisor ** 2
    const [g, a, b] = [n / divisor / scale, slope / scale, (slope * n) / scale]
    const residual = (x - (gamma * n) / divisor) / scale
    byGamma += g * residual
    byAlpha += a * residual
    byBeta += b * residual
    gammas += g * g
    gammaAlpha += g * a
    gammaBeta += g * b
    alphas += a * a
    alphaBeta += a * b
    betas += b * b
  }
  const normal = [
    [gammas, gammaAlpha, gammaBeta],
    [gammaAlpha, alphas, alphaBeta],
    [gammaBeta, alphaBeta, betas],
  ]
  return { normal, gradient: [byGamma, byAlpha, byBeta] }
}

/** Standard errors of γ, α, β from the inverse of JᵀJ; `null` at a bound, and where nothing is left to judge by. */
function errorsOf(
  points: readonly ScaledPoint[],
  at: Vector,
  free: readonly number[],
  variance: number,
): readonly [number | null, number | null, number | null] {
  const errors: [number | null, number | null, number | null] = [null, null, null]
  if (points.length <= free.length) return errors
  const normal = part(normalEquations(points, at).normal, free)
  for (const [place, i] of free.entries()) {
    const unit = free.map((_, other) => (other === place ? 1 : 0))
    errors[i] = Math.sqrt(variance * (solved(normal, unit, 0)[place] as number))
  }
  return errors
}

function part(matrix: readonly (readonly number[])[], indexes: readonly number[]): number[][] {
  return indexes.map((i) => indexes.map((j) => matrix[i]?.[j] as number))
}

function squaresOf(points: readonly ScaledPoint[], at: Vector): number {
  if (!(at[0] > 0)) return Infinity
  const parameters = parametersOf(at)
  let squares = 0
  for (const { n, x, scale = 1 } of points) squares += ((x - uslThroughput(parameters, n)) / scale) ** 2
  return squares
}

function parametersOf([gamma, alpha, beta]: Vector): UslParameters {
  return { alpha, beta, gamma }
}
