import type { LevelCost } from '../result.ts'

/** The same comparison with the slower pair first, so that its cost is not negative. */
export function oriented(cost: LevelCost): LevelCost {
  const { pair, other, costPercent, interval } = cost
  if (costPercent >= 0) return cost
  return {
    ...cost,
    pair: other,
    other: pair,
    costPercent: turned(costPercent),
    interval: interval === null ? null : [turned(interval[1]), turned(interval[0])],
    verdict: cost.verdict === 'faster' ? 'slower' : cost.verdict,
  }
}

/** The cost of the other one, in per cent of the first. */
function turned(percent: number): number {
  return 100 * (1 - 1 / (1 - percent / 100))
}

/** The verdict of the test on the slower pair. */
export const verdictWords: Readonly<Record<LevelCost['verdict'], string>> = {
  slower: 'slower',
  faster: 'faster',
  'no-difference': 'no difference',
  unclear: 'unclear',
  'not-enough-runs': 'too few runs',
}

/** Beyond this, runs vary so much that a figure says nothing. */
const mostPercent = 999

/** A cost with a sign that is not a hyphen. */
export function signedText(percent: number): string {
  if (percent < -mostPercent) return `< −${mostPercent} %`
  return `${percent.toFixed(1).replace('-', '−')} %`
}

/** A cost in words: `12.3 % fewer`, `2.0 % more`. */
export function costText(percent: number): string {
  if (percent < -mostPercent) return `over ${mostPercent} % more`
  const size = Math.abs(percent).toFixed(1)
  if (Number(size) === 0) return 'the same'
  return `${size} % ${percent > 0 ? 'fewer' : 'more'}`
}
