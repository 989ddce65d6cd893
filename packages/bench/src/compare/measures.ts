import type { Row } from '../cube/row.ts'

/** Measures that are compared, and which way is better. Others say how much was done, and not how well. */
const directions: Readonly<Record<string, 'higher' | 'lower'>> = {
  rate: 'higher',
  service: 'lower',
  response: 'lower',
  added: 'lower',
  elapsed: 'lower',
  moved: 'lower',
  stored: 'lower',
  'round trips': 'lower',
  ratio: 'higher',
  'seen by all': 'lower',
}

/** Figures of distributions that are compared: the least and the largest value are of one operation each. */
const statistics: ReadonlySet<string | undefined> = new Set([
  undefined,
  'mean',
  'median',
  'p50',
  'p95',
  'p99',
])

/** Which way is better; `undefined`: it is not compared. */
export function directionOf({ measure, statistic, run }: Row): 'higher' | 'lower' | undefined {
  if (!statistics.has(statistic)) return undefined
  // The time of a run was given, or follows from its rate; that of a load was measured.
  return measure === 'elapsed' && run !== null ? undefined : directions[measure]
}

/** Whether a figure is told by few operations. */
export function isTail(figure: string): boolean {
  return /\bp9\d/.test(figure)
}
