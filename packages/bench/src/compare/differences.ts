import { isDeepStrictEqual } from 'node:util'
import { alikeIn } from '../study/configured.ts'
import type { AnyResult, AnyStudy } from '../study/study.ts'

/** A result with the name that tells it from the others, such as its folder. */
export interface NamedResult {
  readonly name: string
  readonly study: AnyStudy
  readonly result: AnyResult
}

type Facts = Readonly<Record<string, unknown>>

/** How two results were not measured alike, in words. */
export function differences(a: NamedResult, b: NamedResult): readonly string[] {
  if (a.study.name !== b.study.name) return [`study (${a.study.name} and ${b.study.name})`]
  const [one, other] = [factsOf(a), factsOf(b)]
  const names = [...new Set([...Object.keys(one), ...Object.keys(other)])]
  const unlike = names.filter((name) => !isDeepStrictEqual(one[name], other[name]))
  const unfit = [a, b].filter(({ result: { status } }) => status !== 'complete' && status !== 'crossed')
  return [
    ...unlike.map((name) => `${name} (${shown(one[name])} and ${shown(other[name])})`),
    ...unfit.map(({ result: { runId, status } }) => `run ${runId} is ${status}`),
  ]
}

function factsOf({ study, result: { config, data, environment } }: NamedResult): Facts {
  return {
    ...alikeIn(study, config),
    data,
    processor: [environment.cpu, environment.cores, environment.architecture],
    'version of Node.js': environment.node,
  }
}

const longest = 80

function shown(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'none')
  return text.length > longest ? `${text.slice(0, longest)}…` : text
}
