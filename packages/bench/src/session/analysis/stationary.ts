/**
 * How often each state of a Markov chain is visited between two visits of the first one, by the state reduction of Grassmann, Taksar
 * and Heyman. It subtracts nothing, so that chances of any size keep their digits.
 *
 * @param chances of each state to each; each must lead to every other one, by way of others
 */
export function visitsBetween(chances: readonly (readonly number[])[]): readonly number[] {
  const left = chances.map((row) => [...row])
  for (let last = left.length - 1; last > 0; last--) leaveOut(left, last)
  const visits = [1]
  for (let state = 1; state < left.length; state++)
    visits.push(visits.reduce((sum, count, from) => sum + count * at(left, from, state), 0))
  return visits
}

/** Ways through the last state become ways between those before it. */
function leaveOut(chances: readonly number[][], last: number): void {
  const onward = chances[last] as number[]
  const sum = onward.slice(0, last).reduce((total, chance) => total + chance, 0)
  for (const row of chances.slice(0, last)) {
    const share = (row[last] as number) / sum
    row[last] = share
    for (let to = 0; to < last; to++) row[to] = (row[to] as number) + share * (onward[to] as number)
  }
}

function at(rows: readonly (readonly number[])[], row: number, column: number): number {
  return rows[row]?.[column] as number
}
