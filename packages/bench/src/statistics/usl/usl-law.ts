/** Throughput `x` of `n` callers at once. */
export interface UslPoint {
  readonly n: number
  readonly x: number
}

/** The parameters of the Universal Scalability Law: X(N) = γN / (1 + α(N − 1) + βN(N − 1)). */
export interface UslParameters {
  /** Contention: the share of the work that cannot run at once. */
  readonly alpha: number
  /** Coherence: the cost of keeping each pair of callers consistent. */
  readonly beta: number
  /** Throughput of one caller. */
  readonly gamma: number
}

/** Throughput of `n` callers by the law. */
export function uslThroughput({ alpha, beta, gamma }: UslParameters, n: number): number {
  return (gamma * n) / (1 + alpha * (n - 1) + beta * n * (n - 1))
}
