import type { LiveProcess, Policy } from '@unikv/monitor/recorder'
import { type Action, figureText, type Nothing, type Pause, troubleText, verdictText } from '@unikv/tuner'
import type { Section } from '../columns.ts'
import { printable } from '../printable.ts'
import { noPromises, promisesOf } from './promises.ts'

/** One look at what is kept. */
export interface Look {
  readonly at: number
  readonly processes: readonly LiveProcess[]
  readonly actions: readonly Action[]
  /** Decisions to do nothing. */
  readonly nothings: readonly Nothing[]
  readonly pauses: readonly Pause[]
  readonly policies: readonly Policy[]
}

/** A tuner decides at each look, at least once a minute: what is older holds no more. */
const recentMs = 120_000

/** States that wait for something. */
const open = ['proposed', 'approved', 'begun', 'checking', 'undoing'] as const

/** The look as data. */
export function tuneData(look: Look): object {
  return {
    at: look.at,
    processes: look.processes.map(({ name, at }) => ({ name, at })),
    promises: promisesOf(look).map(({ policy, isKept, found }) => ({ ...policy, isKept, found })),
    actions: look.actions.filter(isOpen),
    nothings: nothingsOf(look),
    pauses: look.pauses,
  }
}

/** The look for people: promises, what waits for an answer and why, and what is under way. */
export function tuneSections(look: Look): Section[] {
  const promises = promisesOf(look)
  const waiting = look.actions.filter(({ state }) => state === 'proposed')
  const underWay = look.actions.filter((action) => isOpen(action) && action.state !== 'proposed')
  const nothings = nothingsOf(look)
  return [
    look.processes.length === 0
      ? 'No process of this configuration keeps figures here now.'
      : `Watching ${look.processes.length} process${look.processes.length === 1 ? '' : 'es'}.`,
    promises.length === 0
      ? noPromises
      : {
          head: ['promise', 'now', 'limit', ''],
          rows: promises.map(({ text, found, limit, isKept }) => [text, found, limit, isKept]),
          numbers: [1, 2],
          wrong: promises.flatMap(({ isKept }, i) => (isKept === 'broken' ? [i] : [])),
        },
    ...look.pauses.map((pause) => `${pauseText(pause)}.`),
    ...waiting.flatMap(proposalSections),
    ...underWay.map((action) => `${action.id}, ${action.state}: ${action.title}. ${stateText(action)}`),
    ...nothings.map(nothingText),
    ...(waiting.length + underWay.length + nothings.length === 0
      ? ['Nothing is proposed, and nothing is under way.']
      : []),
  ]
}

/** The latest decision to do nothing about each store, where nothing is open. */
function nothingsOf({ at, nothings, actions }: Look): readonly Nothing[] {
  const busy = new Set(actions.filter(isOpen).map(({ store }) => store))
  const recent = nothings.filter((one) => at - one.at < recentMs && !busy.has(one.trouble.store))
  return [...new Map(recent.map((one) => [one.trouble.store, one])).values()]
}

function nothingText({ trouble, weighed }: Nothing): string {
  const reasons = weighed.map(({ title, against = '' }) => `· Not ${title}: ${against}`)
  const none = ['· No tactic applies.']
  return [
    `Nothing is proposed for ${trouble.store}. ${troubleText(trouble)}`,
    ...(reasons.length === 0 ? none : reasons),
  ].join('\n')
}

/** A pause in words, without the full stop. */
export function pauseText({ store, untilAt, by, why }: Pause): string {
  const until = new Date(untilAt).toISOString().slice(0, 16).replace('T', ' ')
  const reason = why === undefined ? '' : `, ${why}`
  return `Paused: ${store ?? 'all stores'} until ${until} UTC (by ${by}${reason})`
}

/** All actions as a table. */
export function historySections(actions: readonly Action[]): Section[] {
  if (actions.length === 0) return ['Nothing was ever proposed here.']
  return [
    {
      head: ['time (UTC)', 'id', 'store', 'what', 'state', 'effect'],
      rows: actions.map((action) => [
        new Date(action.at).toISOString().slice(0, 16).replace('T', ' '),
        action.id,
        printable(action.store, 80, 'key'),
        action.title,
        action.state,
        action.verdict === undefined ? '' : `${Number(action.verdict.aim.toPrecision(2))} times`,
      ]),
    },
    'The effect is the latency with the change over that without it, of the operation that it was made for.',
  ]
}

function proposalSections(action: Action): Section[] {
  const { id, title, trouble, weighed, cost } = action
  const own = weighed.find((one) => one.title === title)
  const estimate = own === undefined ? '' : `\n· Estimate: about ${figureText(own.expected, trouble.unit)}.`
  return [
    `Proposed, ${id}: ${title}\n· Why: ${troubleText(trouble)}${estimate}\n· Price: ${cost}\n· unikv tune approve ${id}, or reject; unikv tune explain ${id} says more`,
  ]
}

function stateText(action: Action): string {
  if (action.state === 'checking') return verdictText(action)
  if (action.state === 'approved') return 'It begins at the next look of the program.'
  return action.state === 'undoing' ? 'It is being taken back.' : 'It is being made.'
}

function isOpen({ state }: Action): boolean {
  return (open as readonly string[]).includes(state)
}
