import { randomBytes } from 'node:crypto'
import type { Decision, Weighed } from '../decide/decide.ts'
import { shapeOf } from '../decide/memory.ts'
import type { Trouble } from '../observe/trouble.ts'
import type { Factors, StoreWork, Work } from '../observe/work.ts'
import type { Figure, Knowledge, TunedStore } from '../tactic.ts'
import type { Action, KeptTrouble } from './action.ts'

/** A proposal without an answer lapses after so long. */
const lifeMs = 24 * 3_600_000

/** All that a proposal is made from. */
export interface Proposed {
  readonly decision: Decision
  readonly chosen: Weighed
  readonly work: StoreWork
  readonly now: number
  readonly place: Pick<TunedStore, 'name' | 'kind' | 'table'>
  readonly knowledge: Knowledge
  readonly by: string
  /** The lessons about such a store, in words. */
  readonly path: readonly string[]
}

/** A proposal, to be kept. */
export function proposalOf({ decision, chosen, work, now, place, knowledge, by, path }: Proposed): Action {
  const { candidate, tactic } = chosen
  const concerns = Object.keys(candidate.latency ?? {}) as Work[]
  const aim = aimOf(decision.trouble, concerns, candidate.latency ?? {})
  return {
    format: 1,
    id: randomBytes(3).toString('hex'),
    store: place.name,
    kind: place.kind,
    table: place.table,
    tactic,
    change: candidate.change as Action['change'],
    ...(candidate.place === undefined ? {} : { place: candidate.place }),
    title: candidate.title,
    state: 'proposed',
    isOn: false,
    at: now,
    lapsesAt: now + lifeMs,
    trouble: keptTrouble(decision.trouble, now),
    figures: decidingFigures(chosen).map((figure) => ({ ...figure })),
    weighed: decision.weighed.map(keptWeighed),
    path: [...path],
    cost: candidate.how === undefined ? knowledge.cost : `${knowledge.cost} How: ${candidate.how}.`,
    load: shapeOf(work),
    ...(aim === undefined ? {} : { aim }),
    concerns,
    samples: [],
    steps: [{ at: now, state: 'proposed', by }],
  }
}

/** The operation of the promise if the change concerns it, else what becomes fastest. */
function aimOf(trouble: Trouble, concerns: readonly Work[], latency: Factors): Work | undefined {
  const promised = trouble.type === 'violation' ? trouble.violation.policy.operation : undefined
  if (promised !== undefined && concerns.includes(promised)) return promised
  return concerns.toSorted((a, b) => (latency[a] ?? 1) - (latency[b] ?? 1))[0]
}

const ofProcesses: { readonly [resource: string]: string | undefined } = {
  heap: 'use of the heap of a process',
  loop: 'use of the event loop of a process, which is its processor,',
}

/** A trouble as it is kept. */
export function keptTrouble(trouble: Trouble, now: number): KeptTrouble {
  if (trouble.type === 'saturation') {
    const { store, resource, share } = trouble
    return {
      store,
      of: { figure: 'resource', name: resource },
      promise: ofProcesses[resource] ?? `use of the server's ${resource}`,
      found: share,
      limit: 0.9,
      unit: 'share',
      sinceAt: now,
    }
  }
  const { policy, found, limit, sinceAt } = trouble.violation
  const { store, operation: name, percentile = 99, belowMs, maxErrorShare } = policy
  const common = { store, found, limit, unit: belowMs === undefined ? 'share' : 'ms', sinceAt }
  if (belowMs !== undefined)
    return {
      ...common,
      of: { figure: 'latency', name, percentile },
      promise: `${percentile} % of ${name} of ${store}`,
    }
  const figure = maxErrorShare === undefined ? 'hits' : 'errors'
  const promise = `${figure === 'hits' ? 'hit rate' : 'share of errors'} of ${name} of ${store}`
  return { ...common, of: { figure, name }, promise }
}

/** An option as it is kept. */
export function keptWeighed({ tactic, candidate, against, ...figures }: Weighed): Action['weighed'][number] {
  const { relief, expected, saved, breakEven, learned } = figures
  return {
    tactic,
    title: candidate.title,
    relief,
    expected,
    saved,
    learned,
    breakEven: Number.isFinite(breakEven) ? breakEven : null,
    ...(against === undefined ? {} : { against }),
  }
}

/** The figures that decided, at most five. */
function decidingFigures({ candidate, breakEven }: Weighed): readonly Figure[] {
  const even: Figure[] = Number.isFinite(breakEven)
    ? [
        {
          name: 'growth of writes at which it would cost more than it saves',
          value: breakEven,
          unit: 'times',
        },
      ]
    : []
  return [...candidate.figures.slice(0, 5 - even.length), ...even]
}
