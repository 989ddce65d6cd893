import type { Judgement } from '@unikv/workload'
import { thresholdText } from './report/words.ts'
import type { RunBody } from './result.ts'

/** Runs that say nothing about their store, with the reason of each; otherwise thresholds that were crossed. */
export function judge({ targets, thresholds }: RunBody): Judgement | undefined {
  const reasons = targets.flatMap(({ store, runs }) =>
    runs.flatMap(({ run, invalid }) => invalid.map(({ message }) => `${store}, run ${run}: ${message}.`)),
  )
  if (reasons.length > 0) return { status: 'invalid', error: reasons.join(' ') }
  const crossed = thresholds.filter(({ isCrossed }) => isCrossed)
  if (crossed.length === 0) return undefined
  return { status: 'crossed', error: `Crossed: ${crossed.map(thresholdText).join('; ')}.` }
}
