import type { Judgement } from '../../study/study.ts'
import type { SweepBody } from './result.ts'

/** Reasons that are told; the others are in the result. */
const told = 3

/** Runs that say nothing about their store. */
export function judge({ curves }: SweepBody): Judgement | undefined {
  const reasons = curves.flatMap(({ store, load, points }) =>
    points.flatMap(({ value, invalid }) => invalid.map((why) => `${store}, ${load} at ${value}, ${why}.`)),
  )
  if (reasons.length === 0) return undefined
  const more = reasons.length > told ? [`${reasons.length - told} more runs are invalid.`] : []
  return { status: 'invalid', error: [...reasons.slice(0, told), ...more].join(' ') }
}
