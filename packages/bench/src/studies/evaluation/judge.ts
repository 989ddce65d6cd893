import type { Judgement } from '../../study/study.ts'
import type { EvaluationBody } from './result.ts'

/** No candidate was measured, or none meets all scenarios. */
export function judge({ ranking, failures }: EvaluationBody): Judgement | undefined {
  const [best] = ranking
  if (best === undefined) {
    const reasons = failures.map(({ store, error }) => `${store}: ${error}`)
    return { status: 'invalid', error: `No candidate could be measured. ${reasons.join(' ')}`.trim() }
  }
  if (best.met >= best.of) return undefined
  return { status: 'crossed', error: 'No candidate meets every scenario.' }
}
