import { layerNameOf } from '@unikv/manager/layers'
import type { Action, State } from '../../log/action.ts'
import type { Seen } from './feature.ts'
import type { Subject } from './subject.ts'

/** States of what is being done, and of what will be. */
const running: readonly State[] = ['begun', 'checking', 'undoing']
const mostSeconds = 86_400

/** The changes of a store by the log: those in effect, those to come, and the time of the last one. */
export function changesOf({ actions, configuration, indexes, now }: ChangesOf): Pick<
  Seen,
  'present' | 'intended' | 'inEffect' | 'underWay' | 'isChanging' | 'forSeconds'
> & {
  readonly indexes: readonly (readonly string[])[]
} {
  const inEffect = actions.filter(({ state, isOn }) => state === 'kept' || (isOn && running.includes(state)))
  const coming = actions.filter(
    ({ state }) => state === 'approved' || state === 'begun' || state === 'checking',
  )
  const leaving = actions.filter(({ state }) => state === 'undoing')
  const present = new Set((configuration.layers ?? []).map(layerNameOf))
  return {
    present,
    intended: intendedOf(present, coming, leaving),
    inEffect: namesOf(inEffect),
    underWay: namesOf(coming),
    isChanging: actions.some(({ state }) => running.includes(state)),
    forSeconds: secondsOf(actions, now),
    indexes: indexes ?? inEffect.flatMap(indexOf),
  }
}

type ChangesOf = Pick<Subject, 'actions' | 'configuration' | 'indexes' | 'now'>

function namesOf(actions: readonly Action[]): ReadonlySet<string> {
  return new Set(actions.map(({ tactic }) => tactic))
}

/** The layers once all is done. A tactic of a layer says in its change what was there before, and what is after. */
function intendedOf(
  present: ReadonlySet<string>,
  coming: readonly Action[],
  leaving: readonly Action[],
): ReadonlySet<string> {
  const intended = new Set(present)
  const set = ({ change: { layer } }: Action, wanted: unknown): void => {
    if (typeof layer !== 'string') return
    if (wanted === null) intended.delete(layer)
    else intended.add(layer)
  }
  for (const action of coming) set(action, action.change['after'])
  for (const action of leaving) set(action, action.change['before'])
  return intended
}

/** Since the last step by which the store changed; a day if it never did. */
function secondsOf(actions: readonly Action[], now: number): number {
  const changed: readonly State[] = ['begun', 'kept', 'undone', 'failed']
  const at = actions.flatMap(({ steps }) =>
    steps.filter(({ state }) => changed.includes(state)).map((step) => step.at),
  )
  return Math.min(mostSeconds, Math.max(0, now - Math.max(0, ...at)) / 1000)
}

function indexOf({ tactic, change }: Action): readonly (readonly string[])[] {
  const { by } = change
  return tactic === 'add-index' && Array.isArray(by) ? [by.map(String)] : []
}
