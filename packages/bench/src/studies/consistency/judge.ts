import { formatCallers } from '../../report/words/units.ts'
import type { Judgement } from '../../study/study.ts'
import type { ConsistencyBody } from './result.ts'

/** Reasons that are told; the others are in the result. */
const told = 3

/** Runs that say nothing about their store. */
export function judge({ rates, stale }: ConsistencyBody): Judgement | undefined {
  const reasons = [
    ...rates.flatMap(({ store, pair, callers, invalid }) =>
      invalid.map((why) => `${store}, ${pair} with ${formatCallers(callers)}, ${why}.`),
    ),
    ...stale.flatMap(({ store, pair, invalid }) =>
      invalid.map((why) => `${store}, stale reads at ${pair}, ${why}.`),
    ),
  ]
  if (reasons.length === 0) return undefined
  const more = reasons.length > told ? [`${reasons.length - told} more runs are invalid.`] : []
  return { status: 'invalid', error: [...reasons.slice(0, told), ...more].join(' ') }
}
