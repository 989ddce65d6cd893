import { isDeepStrictEqual } from 'node:util'
import type { RunResult } from '../../run/result.ts'
import type { DrivenBody } from '../result.ts'

/** A result of a study that drives stores. */
export type ComparableResult = RunResult & Pick<DrivenBody, 'targets'> & { readonly config: unknown }

type Facts = Readonly<Record<string, unknown>>

/** How two results were not measured alike, in words. */
export function differences(
  a: ComparableResult,
  b: ComparableResult,
  alike: (config: never) => Facts = () => ({}),
): readonly string[] {
  const [one, other] = [factsOf(a, alike), factsOf(b, alike)]
  const unlike = Object.keys(one).filter((name) => !isDeepStrictEqual(one[name], other[name]))
  const unfit = [a, b].filter(({ status }) => status !== 'complete' && status !== 'crossed')
  return [
    ...unlike.map((name) => `${name} (${shown(one[name])} and ${shown(other[name])})`),
    ...unfit.map(({ runId, status }) => `run ${runId} is ${status}`),
  ]
}

function factsOf(result: ComparableResult, alike: (config: never) => Facts): Facts {
  const { config, data, environment } = result
  return {
    ...alike(config as never),
    data,
    processor: [environment.cpu, environment.cores, environment.architecture],
    'version of Node.js': environment.node,
  }
}

function shown(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
