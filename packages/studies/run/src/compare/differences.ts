import { isDeepStrictEqual } from 'node:util'
import type { RunResult } from '../result.ts'

/** How a result was measured, by words for it. */
const facts: readonly (readonly [name: string, of: (result: RunResult) => unknown])[] = [
  ['mix', ({ config }) => config.workload.mix],
  ['number of records', ({ config }) => config.workload.records],
  ['law of keys', ({ config }) => config.workload.keys],
  ['names of keys', ({ config }) => config.workload.keyNames],
  ['lengths of values', ({ config }) => config.workload.values],
  ['lengths of scans', ({ config }) => config.workload.scan],
  ['size of batches', ({ config }) => config.workload.batch],
  ['data', ({ data }) => data],
  ['concurrency', ({ config }) => (config.rate === null ? config.concurrency : null)],
  ['threads', ({ config }) => config.threads],
  ['rate', ({ config }) => config.rate],
  ['arrivals', ({ config }) => (config.rate === null ? null : config.arrivals)],
  ['length of runs', ({ config }) => [config.durationMs, config.operations]],
  ['seed', ({ config }) => config.seed],
  ['processor', ({ environment }) => [environment.cpu, environment.cores, environment.architecture]],
  ['version of Node.js', ({ environment }) => environment.node],
]

/** How two results were not measured alike, in words. */
export function differences(a: RunResult, b: RunResult): readonly string[] {
  const unlike = facts.flatMap(([name, of]) => {
    const [one, other] = [of(a), of(b)]
    return isDeepStrictEqual(one, other) ? [] : [`${name} (${shown(one)} and ${shown(other)})`]
  })
  const unfit = [a, b].filter(({ status }) => status !== 'complete' && status !== 'crossed')
  return [...unlike, ...unfit.map(({ runId, status }) => `run ${runId} is ${status}`)]
}

function shown(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
