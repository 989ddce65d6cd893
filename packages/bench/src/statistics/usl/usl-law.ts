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

/**
 * The solution of a small symmetric positive definite system, by elimination after scaling the diagonal to 1 + `damping`, so
 * that parameters of different magnitude count alike.
 */
export function solved(
  matrix: readonly (readonly number[])[],
  right: readonly number[],
  damping: number,
): readonly number[] {
  const scales = matrix.map((row, i) => Math.sqrt(row[i] as number))
  const rows = matrix.map((row, i) => [
    ...row.map((value, j) =>
      i === j ? 1 + damping : value / ((scales[i] as number) * (scales[j] as number)),
    ),
    (right[i] as number) / (scales[i] as number),
  ])
  for (const [i, pivot] of rows.entries())
    for (const row of rows.slice(i + 1)) subtract(row, pivot, (row[i] as number) / (pivot[i] as number))
  for (const [i, pivot] of [...rows.entries()].reverse())
    for (const row of rows.slice(0, i)) subtract(row, pivot, (row[i] as number) / (pivot[i] as number))
  return rows.map((row, i) => (row.at(-1) as number) / (row[i] as number) / (scales[i] as number))
}

function subtract(row: number[], other: readonly number[], times: number): void {
  for (let column = 0; column < row.length; column++)
    row[column] = (row[column] as number) - times * (other[column] as number)
}
