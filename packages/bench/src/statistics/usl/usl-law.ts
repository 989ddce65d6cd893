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
  const size = matrix.length
  const scales = matrix.map((row, i) => Math.sqrt(row[i] as number))
  const rows = matrix.map((row, i) => {
    const scaled = row.map((value, j) => value / ((scales[i] as number) * (scales[j] as number)))
    scaled[i] = 1 + damping
    scaled.push((right[i] as number) / (scales[i] as number))
    return scaled
  })
  for (let i = 0; i < size; i++) for (let j = i + 1; j < size; j++) eliminate(rows, j, i)
  for (let i = size - 1; i > 0; i--) for (let j = 0; j < i; j++) eliminate(rows, j, i)
  return rows.map((row, i) => (row[size] as number) / (row[i] as number) / (scales[i] as number))
}

/** Make the value of a row at the place of a pivot zero. */
function eliminate(rows: readonly number[][], from: number, by: number): void {
  const [row, pivot] = [rows[from] as number[], rows[by] as number[]]
  const times = (row[by] as number) / (pivot[by] as number)
  for (let column = 0; column < row.length; column++)
    row[column] = (row[column] as number) - times * (pivot[column] as number)
}
