import { queryNamed } from '@unikv/monitor'
import { meanIn, type Observation } from '../observe/observations.ts'
import type { ByWork, Work } from '../observe/work.ts'

/** One window: the load of each operation and query that was called. */
export interface Sample {
  readonly at: number
  /** Whether the change was in effect. */
  readonly isOn: boolean
  readonly work: ByWork<{ readonly meanMs: number; readonly callsPerSecond: number }>
}

/** The sample of a store in one window; `undefined`: it was not called. */
export function sampleOf(observation: Observation, store: string, isOn: boolean): Sample | undefined {
  const names = Object.keys(observation.frame[store] ?? {}) as Work[]
  const work = names.flatMap((name) => {
    const found = meanIn(observation, store, name)
    return found === undefined ? [] : [[name, found] as const]
  })
  return work.length === 0 ? undefined : { at: observation.at, isOn, work: Object.fromEntries(work) }
}

/** Operations of a sample: its queries are in those of `native`. */
export function operationsIn(sample: Sample): readonly Work[] {
  return (Object.keys(sample.work) as Work[]).filter((name) => queryNamed(name) === undefined)
}
