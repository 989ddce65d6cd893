import type { Action, KeptTrouble } from './log/action.ts'

/** Why an action was proposed, what else was weighed, how it went, and what would change the mind: lines of text. */
export function explained(action: Action): readonly string[] {
  const { trouble, weighed, title, store, tactic } = action
  const others = weighed.filter((one) => one.title !== title)
  return [
    `${action.id}: ${title} (${tactic}) for the store ${store}, ${action.state}`,
    '',
    `Why: ${troubleText(trouble)} This has lasted since ${timeText(trouble.sinceAt)}.`,
    ...weighed.filter((one) => one.title === title).map((one) => expectedText(one, trouble)),
    '',
    'The figures that decided:',
    ...action.figures.map(({ name, value, unit }) => `- ${name}: ${figureText(value, unit)}`),
    '',
    `Price: ${action.cost}`,
    ...(action.path.length === 0
      ? []
      : ['', 'Learned on this machine:', ...action.path.map((line) => `- ${line}`)]),
    '',
    others.length === 0 ? 'Nothing else could be done.' : 'Also weighed:',
    ...others.map((one) => `- ${one.title}: ${one.against ?? otherText(one, trouble)}`),
    '',
    'This would change the mind:',
    ...mindText(action).map((line) => `- ${line}`),
    ...(action.verdict === undefined ? [] : ['', `Effect: ${verdictText(action)}`]),
    '',
    'Steps:',
    ...action.steps.map(
      ({ at, state, by, note }) =>
        `- ${timeText(at)} ${state} by ${by}${note === undefined ? '' : `: ${note}`}`,
    ),
  ]
}

/** A trouble in one sentence. */
export function troubleText(trouble: KeptTrouble): string {
  const { promise, found, limit, unit } = trouble
  const subject = `${promise[0]?.toUpperCase()}${promise.slice(1)}`
  if (promise.startsWith('use of'))
    return `${subject} should stay below ${figureText(limit, unit)}, and is ${figureText(found, unit)}.`
  return `${subject} was promised to stay ${isAtLeast(trouble) ? 'above' : 'below'} ${figureText(limit, unit)}, and is ${figureText(found, unit)}.`
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
  const work = saved > 0.005 ? `, and save ${percent(saved)} of the store's time` : ''
  const more = isHeld(expected, trouble) ? '' : ' That is not enough yet: more must be done after it.'
  return `It should bring it to about ${figureText(expected, trouble.unit)}${work}.${more}`
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
      : `, and what was learned here speaks ${learned > 1 ? 'for' : 'against'} it`
  return `It would bring it to about ${figureText(expected, unit)}, ${percent(relief)} of the way${lesson}.`
}

function mindText({ weighed, title, trouble, state, lapsesAt }: Action): readonly string[] {
  const own = weighed.find((one) => one.title === title)
  const even = own?.breakEven ?? null
  const side = isAtLeast(trouble) ? 'below' : 'above'
  return [
    `With a limit ${side} ${figureText(trouble.found, trouble.unit)} nothing would be proposed.`,
    ...(even === null
      ? []
      : [`Operations that it slows, called ${times(even)} as often: then it costs more than it saves.`]),
    ...(state === 'proposed' ? [`No answer: it lapses at ${timeText(lapsesAt)}.`] : []),
    'After it is done: it is taken back if all work becomes 5 % slower with 95 % certainty, or if nothing becomes faster.',
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
