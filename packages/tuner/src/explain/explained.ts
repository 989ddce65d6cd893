import type { Action, KeptTrouble, State } from '../log/action.ts'
import { figureText, percent, times, timeText } from './figure-text.ts'
import { isAtLeast, isHeld, troubleText } from './trouble-text.ts'
import { verdictText } from './verdict-text.ts'

/** Why an action was proposed, its alternatives, how it went, and what would change it: lines of text. */
export function explained(action: Action): readonly string[] {
  const { trouble, weighed, title, store, tactic, id, steps } = action
  const own = weighed.filter((one) => one.title === title)
  const others = weighed.filter((one) => one.title !== title)
  return [
    `${id} (${tactic}): ${title}, for the store ${store}`,
    `State: ${stateText(action)}`,
    '',
    `Why: ${troubleText(trouble)} ${sinceText(action)}`,
    ...own.map((one) => expectedText(one, trouble)),
    '',
    'Figures behind this decision:',
    ...action.figures.map(({ name, value, unit }) => `· ${name}: ${figureText(value, unit)}`),
    '',
    `Price: ${action.cost}`,
    ...(action.path.length === 0
      ? []
      : [
          '',
          'Earlier cases like this, of these stores and of others:',
          ...action.path.map(bullet),
          ...own.map(lessonText).map(bullet),
        ]),
    '',
    others.length === 0 ? 'No other tactic applies.' : 'Alternatives:',
    ...others.map((one) => `· ${one.title}: ${one.against ?? otherText(one, trouble)}`),
    '',
    'This would change the decision:',
    ...mindText(action).map(bullet),
    ...(action.verdict === undefined ? [] : ['', `Measured effect: ${verdictText(action)}`]),
    '',
    'History:',
    ...steps.map(
      ({ at, state: reached, by, note }) =>
        `· ${timeText(at)} ${reached} by ${by}${note === undefined ? '' : `: ${note}`}`,
    ),
  ]
}

function bullet(line: string): string {
  return `· ${line}`
}

const stateWords: { readonly [state in Exclude<State, 'proposed'>]: string } = {
  approved: 'approved; it begins at the next look of the program',
  begun: 'is being made',
  checking: 'made; its effect is being measured',
  undoing: 'is being taken back',
  kept: 'kept, and in effect',
  undone: 'taken back',
  failed: 'failed; the last line of the history says why',
  rejected: 'rejected by its owner',
  lapsed: 'lapsed, as no answer came within 24 hours',
}

function stateText({ state, lapsesAt }: Action): string {
  return state === 'proposed'
    ? `proposed; waits for its owner until ${timeText(lapsesAt)}`
    : stateWords[state]
}

function sinceText({ trouble, at }: Action): string {
  const seconds = Math.round((at - trouble.sinceAt) / 1000)
  return `It had been so for ${seconds} s when this was proposed (${timeText(at)}).`
}

function expectedText({ expected, saved }: Action['weighed'][number], trouble: KeptTrouble): string {
  const work = saved > 0.005 ? `, and saves ${percent(saved)} of the time of all calls of this store` : ''
  const more = isHeld(expected, trouble)
    ? ''
    : ' The promise is still missed then; the next step follows when this one is done.'
  return `Estimate: the change brings it to about ${figureText(expected, trouble.unit)}${work}.${more}`
}

function otherText({ expected, relief, learned }: Action['weighed'][number], { unit }: KeptTrouble): string {
  const lesson =
    Math.abs(learned - 1) < 0.05 ? '' : ` Earlier cases speak ${learned > 1 ? 'for' : 'against'} it.`
  return `estimated at ${figureText(expected, unit)}, ${percent(relief)} of the improvement that is needed.${lesson}`
}

/** The part that lessons had in a proposal. */
function lessonText({ learned }: Action['weighed'][number]): string {
  const moved = Math.abs(learned - 1)
  if (moved < 0.05) return 'So they hardly count for or against this proposal.'
  return learned > 1
    ? `So they give this proposal ${percent(moved)} more weight.`
    : `So they give this proposal ${percent(moved)} less weight. It came first all the same, by the figures above.`
}

function mindText({ weighed, title, trouble, state }: Action): readonly string[] {
  const even = weighed.find((one) => one.title === title)?.breakEven ?? null
  const [found, limit] = [trouble.found, trouble.limit].map((figure) => figureText(figure, trouble.unit))
  const allowed =
    trouble.of.figure === 'resource'
      ? `it were below ${limit}`
      : `the promise allowed ${isAtLeast(trouble) ? 'less' : 'more'} than ${found}`
  return [
    `If ${allowed}, nothing would be proposed.`,
    ...(even === null
      ? []
      : [
          `If there were ${times(even)} as many of the calls that it makes slower, it would cost more than it saves, and would not be proposed.`,
        ]),
    ...(state === 'proposed'
      ? ['If its owner rejects it, it is not proposed again for a week, unless the load changes.']
      : []),
    'Once made, it is watched for four to ten windows of five seconds. It is taken back by itself if all calls together become 5 % slower (with 95 % certainty), or if nothing becomes faster.',
  ]
}
