import type { Action, KeptTrouble } from './log/action.ts'

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
    ...action.figures.map(({ name, value, unit }) => `- ${name}: ${figureText(value, unit)}`),
    '',
    `Price: ${action.cost}`,
    ...(action.path.length === 0
      ? []
      : ['', 'Learned on this machine:', ...action.path.map((line) => `- ${line}`)]),
    '',
    others.length === 0 ? 'No other tactic applies.' : 'Alternatives:',
    ...others.map((one) => `- ${one.title}: ${one.against ?? otherText(one, trouble)}`),
    '',
    'This would change the decision:',
    ...mindText(action).map((line) => `- ${line}`),
    ...(action.verdict === undefined ? [] : ['', `Measured effect: ${verdictText(action)}`]),
    '',
    'History:',
    ...steps.map(
      ({ at, state: reached, by, note }) =>
        `- ${timeText(at)} ${reached} by ${by}${note === undefined ? '' : `: ${note}`}`,
    ),
    ...(state === 'proposed' ? ['', `To answer: unikv tune approve ${id}, or unikv tune reject ${id}`] : []),
  ]
}

function stateText({ state, lapsesAt }: Action): string {
  return state === 'proposed' ? `proposed; waits for its owner until ${timeText(lapsesAt)}` : state
}

function sinceText({ trouble, at }: Action): string {
  const seconds = Math.round((at - trouble.sinceAt) / 1000)
  return `It was so for ${seconds} s when this was proposed (${timeText(at)}).`
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
  const share = `${of.percentile ?? 99} % of the ${calls} of ${trouble.store}`
  return `The promise is that ${share} take less than ${wanted}. Now that share takes up to ${now}.`
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
  const whole = `all work takes ${ratio(verdict.ratio)} times as long (with 90 % certainty ${high === null ? `at least ${ratio(low)}` : `from ${ratio(low)} to ${ratio(high)}`})`
  const own = aim === undefined ? '' : `, ${aim} ${ratio(verdict.aim)} times`
  const control =
    verdict.control.length === 0
      ? 'nothing stayed the same to compare with'
      : `compared with ${verdict.control.join(', ')}, which it does not concern`
  return `${what[verdict.answer]}: ${whole}${own}; ${verdict.windows[0]} windows without it and ${verdict.windows[1]} with it, ${control}.`
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
    Math.abs(learned - 1) < 0.05
      ? ''
      : ` Lessons of this machine speak ${learned > 1 ? 'for' : 'against'} it.`
  return `estimated at ${figureText(expected, unit)}, ${percent(relief)} of the improvement that is needed.${lesson}`
}

function mindText({ weighed, title, trouble }: Action): readonly string[] {
  const even = weighed.find((one) => one.title === title)?.breakEven ?? null
  const side = isAtLeast(trouble) ? 'below' : 'above'
  return [
    `If the promise allowed ${side} ${figureText(trouble.found, trouble.unit)}, nothing would be proposed.`,
    ...(even === null
      ? []
      : [`If the calls that it slows became ${times(even)} as many, it would cost more than it saves.`]),
    'Once made, it is watched for four to ten windows of five seconds. It is taken back by itself if all calls together become 5 % slower (with 95 % certainty), or if nothing becomes faster.',
  ]
}

/** A number with its unit, as people read it. */
export function figureText(value: number, unit: string): string {
  if (unit === 'share') return percent(value)
  if (unit === 'bytes') return bytesText(value)
  if (unit === 'times') return `${round(value)} times`
  return `${round(value)} ${unit}`
}

function bytesText(value: number): string {
  const power = Math.min(4, Math.floor(Math.log10(Math.max(1, value)) / 3))
  return `${round(value / 1000 ** power)} ${['B', 'kB', 'MB', 'GB', 'TB'][power]}`
}

function times(factor: number): string {
  return `${round(factor)} times`
}

/** Measured by a few windows: more than two digits would be chance. */
function ratio(factor: number): string {
  return factor.toLocaleString('en-US', { maximumSignificantDigits: 2 })
}

function percent(share: number): string {
  return `${share < 0.1 ? round(share * 100) : Math.round(share * 100)} %`
}

function round(value: number): string {
  return value.toLocaleString(
    'en-US',
    value >= 1000 ? { maximumFractionDigits: 0 } : { maximumSignificantDigits: 3 },
  )
}

/** A moment, in UTC. */
function timeText(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`
}
