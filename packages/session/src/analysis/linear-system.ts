/**
 * The solution of a linear system by elimination, with the largest pivot of each column; `undefined` if it has none, or
 * more than one.
 *
 * @param rows coefficients of each equation, with its right side as the last number
 */
export function solved(rows: readonly (readonly number[])[]): readonly number[] | undefined {
  const left = rows.map((row) => [...row])
  for (const column of left.keys()) {
    const pivot = pivotOf(left, column)
    if (Math.abs(left[pivot]?.[column] ?? 0) < 1e-12) return undefined
    ;[left[column], left[pivot]] = [left[pivot] as number[], left[column] as number[]]
    eliminate(left, column)
  }
  return left.map((row, index) => (row.at(-1) as number) / (row[index] as number))
}

function pivotOf(rows: readonly (readonly number[])[], column: number): number {
  let best = column
  for (let row = column + 1; row < rows.length; row++)
    if (Math.abs(rows[row]?.[column] ?? 0) > Math.abs(rows[best]?.[column] ?? 0)) best = row
  return best
}

function eliminate(rows: readonly number[][], column: number): void {
  const pivot = rows[column] as number[]
  for (const row of rows) {
    const times = row === pivot ? 0 : (row[column] as number) / (pivot[column] as number)
    if (times === 0) continue
    for (let at = column; at < row.length; at++) row[at] = (row[at] as number) - times * (pivot[at] as number)
  }
}
