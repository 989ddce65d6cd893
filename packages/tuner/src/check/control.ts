import { isConcerned, operationsIn, type Work } from '../observe/work.ts'
import type { Sample } from './samples.ts'

/** A latency of 0 has no logarithm. */
export const leastMs = 1e-6

/** Operations that the change leaves alone, in all windows. */
export function controlOf(samples: readonly Sample[], concerns: readonly Work[]): readonly Work[] {
  const [first] = samples
  return (first === undefined ? [] : operationsIn(first)).filter(
    (name) => !isConcerned(name, concerns) && samples.every(({ work }) => work[name] !== undefined),
  )
}

/** Operations of other stores, in all windows. */
export function othersIn(samples: readonly Sample[]): readonly string[] {
  return Object.keys(samples[0]?.beside ?? {}).filter((name) =>
    samples.every(({ beside }) => beside?.[name] !== undefined),
  )
}

/** Share of each concerned operation in the work before the change. */
export function weightsOf(off: readonly Sample[], control: readonly string[]): ReadonlyMap<Work, number> {
  const times = new Map<Work, number>()
  for (const sample of off)
    for (const name of operationsIn(sample)) {
      const { meanMs = 0, callsPerSecond = 0 } = sample.work[name] ?? {}
      if (!control.includes(name)) times.set(name, (times.get(name) ?? 0) + meanMs * callsPerSecond)
    }
  const all = [...times.values()].reduce((sum, time) => sum + time, 0)
  return new Map(Array.from(times, ([name, time]) => [name, all === 0 ? 0 : time / all]))
}

/** Logarithm of what the work of a window costs, at the mix of before. */
export function costOf(
  sample: Sample,
  weights: ReadonlyMap<Work, number>,
  control: readonly string[],
): number | undefined {
  let [sum, seen] = [0, 0]
  for (const [name, weight] of weights) {
    const log = logOf(sample, name, control)
    if (log === undefined) continue
    sum += weight * log
    seen += weight
  }
  return seen < 0.5 ? undefined : sum / seen
}

/** Logarithm of the mean latency of an operation, less that of the control. */
export function logOf(sample: Sample, name: Work, control: readonly string[]): number | undefined {
  const found = sample.work[name]
  return found === undefined
    ? undefined
    : Math.log(Math.max(found.meanMs, leastMs)) - machineOf(sample, control)
}

/** Logarithm of how long operations take that the change does not concern. */
export function machineOf({ work, beside }: Sample, control: readonly string[]): number {
  const logs = control.map((one) =>
    Math.log(Math.max(work[one as Work]?.meanMs ?? beside?.[one] ?? 1, leastMs)),
  )
  return logs.length === 0 ? 0 : logs.reduce((sum, log) => sum + log, 0) / logs.length
}
