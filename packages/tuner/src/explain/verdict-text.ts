import type { Action } from '../log/action.ts'
import { ratio } from './figure-text.ts'

/** The effect of a change, as far as it was measured. */
export function verdictText({ verdict, aim, state, isOn }: Action): string {
  if (verdict === undefined) return isOn || state === 'kept' ? 'not measured yet.' : 'nothing.'
  const [low, high] = verdict.interval
  const what = {
    harm: 'It did harm',
    help: 'It helped',
    none: 'It changed nothing that counts',
    open: 'Not clear yet',
  }
  const whole = `All calls together take ${ratio(verdict.ratio)} times as long as before (with 90 % certainty ${high === null ? `at least ${ratio(low)}` : `from ${ratio(low)} to ${ratio(high)}`})`
  const own = aim === undefined ? '' : `, and those that it was made for (${aim}) ${ratio(verdict.aim)} times`
  const compared = `${verdict.windows[1]} windows with it were compared with ${verdict.windows[0]} without it`
  const control =
    verdict.control.length === 0
      ? 'No other calls could show whether the machine itself became faster or slower'
      : `The machine itself may have become faster or slower; that was judged by ${verdict.control.join(', ')}, which the change does not concern, and taken off`
  return `${what[verdict.answer]}. ${whole}${own}. ${compared}. ${control}.`
}
