import { addFrames } from '@unikv/monitor'
import { type LiveProcess, type Policy, violationOf } from '@unikv/monitor/recorder'
import { type Action, figureText, troubleText, verdictText } from '@unikv/tuner'
import type { Section } from '../columns.ts'
import { printable } from '../printable.ts'

/** One look at what is kept. */
export interface Look {
  readonly at: number
  readonly processes: readonly LiveProcess[]
  readonly actions: readonly Action[]
  readonly policies: readonly Policy[]
}

/** States that wait for something. */
const open = ['proposed', 'approved', 'begun', 'checking', 'undoing'] as const

/** The look as data. */
export function tuneData(look: Look): object {
  return {
    at: look.at,
    processes: look.processes.map(({ name, at }) => ({ name, at })),
    promises: promisesOf(look).map(({ policy, isKept, found }) => ({ ...policy, isKept, found })),
    actions: look.actions.filter(isOpen),
  }
}

/** The look for people: promises, what waits for an answer and why, and what is under way. */
export function tuneSections(look: Look): Section[] {
  const promises = promisesOf(look)
  const waiting = look.actions.filter(({ state }) => state === 'proposed')
  const underWay = look.actions.filter((action) => isOpen(action) && action.state !== 'proposed')
  return [
    look.processes.length === 0
      ? 'No process of this configuration keeps figures here now.'
      : `Watching ${look.processes.length} process${look.processes.length === 1 ? '' : 'es'}.`,
    promises.length === 0
      ? 'No promises: add monitor: { policies: [{ store, operation, belowMs }] } to the configuration.'
      : {
          head: ['promise', 'now', 'limit', ''],
          rows: promises.map(({ text, found, limit, isKept }) => [text, found, limit, isKept]),
          numbers: [1, 2],
          wrong: promises.flatMap(({ isKept }, i) => (isKept === 'broken' ? [i] : [])),
        },
    ...waiting.flatMap(proposalSections),
    ...underWay.map((action) => `${action.id}, ${action.state}: ${action.title}. ${stateText(action)}`),
    ...(waiting.length + underWay.length === 0 ? ['Nothing is proposed, and nothing is under way.'] : []),
  ]
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
  const own = action.weighed.find(({ title }) => title === action.title)
  const expected =
    own === undefined ? '' : ` It should become about ${figureText(own.expected, action.trouble.unit)}.`
  return [
    `Proposed, ${action.id}: ${action.title}\n· Why: ${troubleText(action.trouble)}${expected}\n· Cost: ${action.cost}\n· unikv tune approve ${action.id}, or reject; unikv tune explain ${action.id} says more`,
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

interface Shown {
  readonly policy: Policy
  readonly text: string
  readonly found: string
  readonly limit: string
  readonly isKept: 'kept' | 'broken' | 'no calls'
}

/** Each promise by the figures of the last seconds. */
function promisesOf({ processes, policies }: Look): readonly Shown[] {
  const frame = addFrames(processes.map((one) => one.frame))
  return policies.map((policy) => {
    const { store, operation, percentile = 99, belowMs, maxErrorShare, minHitRate } = policy
    const unit = belowMs === undefined ? 'share' : 'ms'
    const limit = belowMs ?? maxErrorShare ?? minHitRate ?? 0
    const text =
      belowMs !== undefined
        ? `${percentile} % of ${operation} of ${store}`
        : `${maxErrorShare === undefined ? 'hit rate' : 'errors'} of ${operation} of ${store}`
    const figures = frame[store]?.[operation]
    const shown = { policy, text, limit: figureText(limit, unit) }
    if (figures === undefined) return { ...shown, found: '', isKept: 'no calls' }
    const violation = violationOf({ ...policy, minCalls: 1 }, figures, 0)
    return violation === undefined
      ? { ...shown, found: '', isKept: 'kept' }
      : { ...shown, found: figureText(violation.found, unit), isKept: 'broken' }
  })
}
