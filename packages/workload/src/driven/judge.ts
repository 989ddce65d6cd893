import type { Judgement } from '../study/study.ts'
import { thresholdText } from './report/words.ts'
import type { DrivenBody } from './result.ts'

/** Runs that say nothing about their store, with the reason of each; otherwise thresholds that were crossed. */
export function judgeDriven({ targets, thresholds }: DrivenBody): Judgement | undefined {
  const reasons = targets.flatMap(({ store, runs }) =>
    runs.flatMap(({ run, invalid }) => invalid.map(({ message }) => `${store}, run ${run}: ${message}.`)),
  )
  if (reasons.length > 0) return { status: 'invalid', error: reasons.join(' ') }
  const crossed = thresholds.filter(({ isCrossed }) => isCrossed)
  if (crossed.length === 0) return undefined
  return { status: 'crossed', error: `Crossed: ${crossed.map(thresholdText).join('; ')}.` }
}
