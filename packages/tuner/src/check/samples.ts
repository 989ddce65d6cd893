import { queryNamed } from '@unikv/monitor'
import { type Policy, violationOf } from '@unikv/monitor/recorder'
import type { KeptTrouble } from '../log/action.ts'
import { meanIn, type Observation } from '../observe/observations.ts'
import { usedOf, usedOfProcess } from '../observe/trouble.ts'
import { type ByWork, isConcerned, operationsIn, type Work } from '../observe/work.ts'

/** One window: the load of each operation and query that was called. */
export interface Sample {
  readonly at: number
  /** Whether the change was in effect. */
  readonly isOn: boolean
  readonly work: ByWork<{ readonly meanMs: number; readonly callsPerSecond: number }>
  /** The figure that was promised: lower is better. */
  readonly promised?: number | undefined
  /** Mean milliseconds of operations of other stores, such as `read of carts`: kept where the store itself has no control. */
  readonly beside?: { readonly [operation: string]: number } | undefined
}

/** Operations of other stores that are called less often tell little of a window. */
const leastCallsPerSecond = 1
/** So many operations of other stores are kept. */
const mostBeside = 20

/** The change that a sample is taken for. */
interface Sampled {
  readonly trouble: Pick<KeptTrouble, 'store' | 'of'>
  readonly concerns: readonly string[]
  /** Stores that it does not touch. */
  readonly others?: readonly string[] | undefined
}

/** The sample of a store in one window; `undefined`: it was not called. */
export function sampleOf(
  observation: Observation,
  { trouble, concerns, others = [] }: Sampled,
  isOn: boolean,
): Sample | undefined {
  const { store, of } = trouble
  const names = Object.keys(observation.frame[store] ?? {}) as Work[]
  const work = names.flatMap((name) => {
    const found = meanIn(observation, store, name)
    return found === undefined ? [] : [[name, found] as const]
  })
  if (work.length === 0) return undefined
  const promised = promisedIn(observation, store, of)
  const sample = {
    at: observation.at,
    isOn,
    work: Object.fromEntries(work),
    ...(promised === undefined ? {} : { promised }),
  }
  const hasControl = operationsIn(sample).some((name) => !isConcerned(name, concerns))
  const beside = hasControl ? [] : besideIn(observation, others)
  return beside.length === 0 ? sample : { ...sample, beside: Object.fromEntries(beside) }
}

/** Operations of other stores in the order of their names, so that the same ones are in each window. */
function besideIn(
  observation: Observation,
  others: readonly string[],
): readonly (readonly [operation: string, meanMs: number])[] {
  const all = others.toSorted().flatMap((store) =>
    Object.keys(observation.frame[store] ?? {})
      .filter((name) => queryNamed(name) === undefined)
      .toSorted()
      .map((name) => [`${name} of ${store}`, meanIn(observation, store, name as Work)] as const),
  )
  return all
    .flatMap(([name, its]) =>
      its !== undefined && its.callsPerSecond >= leastCallsPerSecond ? [[name, its.meanMs] as const] : [],
    )
    .slice(0, mostBeside)
}

/** The promised figure in one window, where lower is better: misses stand for hits. */
function promisedIn(
  observation: Observation,
  store: string,
  { figure, name, percentile }: KeptTrouble['of'],
): number | undefined {
  const { frame, servers } = observation
  if (figure === 'resource') return usedOfProcess(observation, name) ?? usedOf(servers[store], name)
  const figures = frame[store]?.[name as Work]
  if (figures === undefined) return undefined
  const found = (limit: Partial<Policy>): number | undefined =>
    violationOf({ store, operation: name as Work, minCalls: 1, ...limit }, figures, 0)?.found
  if (figure === 'latency') return found({ percentile, belowMs: Number.MIN_VALUE })
  if (figure === 'errors') return found({ maxErrorShare: 0 }) ?? 0
  return 1 - (found({ minHitRate: 1 }) ?? 1)
}
