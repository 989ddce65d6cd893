import { figureText, percent, ratio, times, timeText } from './figure-text.ts'
import type { Action, KeptTrouble, State } from './log/action.ts'

/** Why an action was proposed, its alternatives, how it went, and what would change it: lines of text. */
export function explained(action: Action): readonly string[] {
  const { trouble, weighed, title, store, tactic, id, state, steps } = action
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
    ...(state === 'proposed' ? ['', `To answer: unikv tune approve ${id}, or unikv tune reject ${id}`] : []),
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

/** A trouble in one sentence: the promise, and the figure that was found. */
export function troubleText(trouble: KeptTrouble): string {
  const { promise, found, limit, unit, of } = trouble
  const [now, wanted] = [figureText(found, unit), figureText(limit, unit)]
  if (of.figure === 'resource') return `${capital(promise)} should stay below ${wanted}, and is ${now}.`
  if (of.figure !== 'latency')
    return `${capital(promise)} was promised to stay ${isAtLeast(trouble) ? 'above' : 'below'} ${wanted}, and is ${now}.`
  const calls =
    of.name === 'native'
      ? 'native calls (queries of the program)'
      : of.name.startsWith('by ')
        ? `queries ${of.name}`
        : `calls of ${of.name}`
  const share = `${of.percentile ?? 99} %`
  return `The promise is that ${share} of the ${calls} of ${trouble.store} take less than ${wanted}. As measured, ${share} of them take up to ${now}.`
}

function capital(text: string): string {
  return `${text[0]?.toUpperCase() ?? ''}${text.slice(1)}`
}

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

function expectedText({ expected, saved }: Action['weighed'][number], trouble: KeptTrouble): string {
  const work = saved > 0.005 ? `, and saves ${percent(saved)} of the time of all calls of this store` : ''
  const more = isHeld(expected, trouble)
    ? ''
    : ' The promise is still missed then; the next step follows when this one is done.'
  return `Estimate: the change brings it to about ${figureText(expected, trouble.unit)}${work}.${more}`
}

/** Whether a figure keeps the promise. */
function isHeld(figure: number, trouble: KeptTrouble): boolean {
  return isAtLeast(trouble) ? figure >= trouble.limit : figure < trouble.limit
}

/** Whether the promise is about a figure that must be high. */
function isAtLeast({ promise, unit }: KeptTrouble): boolean {
  return unit === 'share' && promise.startsWith('hit rate')
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
