import { listed } from '../report/words/listed.ts'
import type { Judgement } from '../study/study.ts'
import { targetText, thresholdText } from './report/words.ts'
import type { DrivenBody, TargetResult } from './result.ts'

/**
 * Runs that say nothing about their store, with their reasons; otherwise thresholds that were crossed; otherwise those
 * whose figure is not known, which must not pass for kept.
 */
export function judgeDriven({ targets, thresholds }: DrivenBody): Judgement | undefined {
  const reasons = targets.flatMap(reasonsOf)
  if (reasons.length > 0) return { status: 'invalid', error: reasons.join(' ') }
  const crossed = thresholds.filter(({ isCrossed }) => isCrossed)
  if (crossed.length > 0)
    return { status: 'crossed', error: `Crossed: ${crossed.map(thresholdText).join('; ')}.` }
  const unknown = thresholds.filter(({ found }) => found === null)
  if (unknown.length === 0) return undefined
  const error = `Too few operations to tell: ${unknown.map(({ store, text }) => `${store}: ${text}`).join('; ')}. Make the runs longer.`
  return { status: 'invalid', error }
}

/** Each reason once, with the first run that has it. */
function reasonsOf(target: TargetResult): readonly string[] {
  const { runs } = target
  const found = runs.flatMap(({ run, invalid }) => invalid.map((one) => ({ run, ...one })))
  const firsts = found.filter(
    ({ reason }, index) => found.findIndex((one) => one.reason === reason) === index,
  )
  return firsts.map(({ run, reason, message }) => {
    const others = found.filter((one) => one.reason === reason && one.run !== run).map((one) => one.run)
    const also = others.length === 0 ? '' : ` (also run ${listed([...new Set(others)].map(String))})`
    return `${targetText(target)}, run ${run}: ${message}${also}.`
  })
}
