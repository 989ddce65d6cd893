/** The mean of values. */
export function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

/** The mean of two values or more, and the square of its standard error: s² / n. */
export function meanAndSquaredError(
  values: readonly number[],
): readonly [mean: number, squaredError: number] {
  const mean = meanOf(values)
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0)
  return [mean, squares / (values.length - 1) / values.length]
}
