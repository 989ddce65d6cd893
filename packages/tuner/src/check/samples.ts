import { queryNamed } from '@unikv/monitor'
import { type Policy, violationOf } from '@unikv/monitor/recorder'
import type { KeptTrouble } from '../log/action.ts'
import { meanIn, type Observation } from '../observe/observations.ts'
import { usedOf } from '../observe/trouble.ts'
import type { ByWork, Work } from '../observe/work.ts'

/** One window: the load of each operation and query that was called. */
export interface Sample {
  readonly at: number
  /** Whether the change was in effect. */
  readonly isOn: boolean
  readonly work: ByWork<{ readonly meanMs: number; readonly callsPerSecond: number }>
  /** The figure that was promised: lower is better. */
  readonly promised?: number | undefined
}

/** The sample of a store in one window; `undefined`: it was not called. */
export function sampleOf(
  observation: Observation,
  { store, of }: Pick<KeptTrouble, 'store' | 'of'>,
  isOn: boolean,
): Sample | undefined {
  const names = Object.keys(observation.frame[store] ?? {}) as Work[]
  const work = names.flatMap((name) => {
    const found = meanIn(observation, store, name)
    return found === undefined ? [] : [[name, found] as const]
  })
  if (work.length === 0) return undefined
  const promised = promisedIn(observation, store, of)
  return {
    at: observation.at,
    isOn,
    work: Object.fromEntries(work),
    ...(promised === undefined ? {} : { promised }),
  }
}

/** The promised figure in one window, where lower is better: misses stand for hits. */
function promisedIn(
  { frame, servers, loads = [] }: Observation,
  store: string,
  { figure, name, percentile }: KeptTrouble['of'],
): number | undefined {
  if (figure === 'resource')
    return name === 'heap'
      ? Math.max(0, ...loads.map(({ heapShare }) => heapShare))
      : usedOf(servers[store], name)
  const figures = frame[store]?.[name as Work]
  if (figures === undefined) return undefined
  const found = (limit: Partial<Policy>): number | undefined =>
    violationOf({ store, operation: name as Work, minCalls: 1, ...limit }, figures, 0)?.found
  if (figure === 'latency') return found({ percentile, belowMs: Number.MIN_VALUE })
  if (figure === 'errors') return found({ maxErrorShare: 0 }) ?? 0
  return 1 - (found({ minHitRate: 1 }) ?? 1)
}

/** Operations of a sample: its queries are in those of `native`. */
export function operationsIn(sample: Sample): readonly Work[] {
  return (Object.keys(sample.work) as Work[]).filter((name) => queryNamed(name) === undefined)
}
