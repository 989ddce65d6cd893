import { isDeepStrictEqual } from 'node:util'
import type { Row } from '../cube/row.ts'
import type { Comparison } from '../statistics/compare/comparison-result.ts'
import { meanOf } from '../statistics/summary.ts'
import { alikeIn } from '../study/configured.ts'
import type { AnyResult, AnyStudy } from '../study/study.ts'
import { figureKey, figuresOf } from './figures.ts'
import type { ResultFigure } from './measures.ts'

/** One figure of two results. */
export interface ComparedFigure {
  readonly store: string
  readonly dimensions: ResultFigure['dimensions']
  /** Such as `rate`, `mean`, `p99` or `misses`. */
  readonly figure: string
  readonly unit: ResultFigure['unit']
  readonly comparison: Comparison
  /** It would be better, were it not for operations that found nothing or failed. @default false */
  readonly isWithheld?: boolean | undefined
}

/** A store in two results. */
export interface ComparedPair {
  readonly names: readonly [base: string, other: string]
  /** The two were measured in turn, by several invocations each, or at two moments. */
  readonly unit: 'turns' | 'invocations' | 'moments'
  /** Mean load average of the machine during the runs of either; `null`: it was not kept. */
  readonly loads: readonly [base: number | null, other: number | null]
  /** Whether all of one side was measured before all of the other. @default false */
  readonly isApart?: boolean | undefined
  /** Why the two were not measured alike; empty if they were. */
  readonly differences: readonly string[]
  /** Figures of the base that the other result does not have, in sentences: a store that failed must not pass for equal. */
  readonly missing: readonly string[]
  readonly figures: readonly ComparedFigure[]
}

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

/** A figure of one side of a comparison: its values are of runs, or of whole invocations. */
export interface SampledFigure extends ResultFigure {
  readonly values: readonly number[]
  /** The invocation that each value is of, where a side has several. */
  readonly of: readonly number[]
}

/** One side of a comparison. */
export interface Side {
  readonly name: string
  /** Keys are made of the name of the figure, its store and its dimensions. */
  readonly figures: ReadonlyMap<string, SampledFigure>
  readonly stores: readonly string[]
  /** Mean load average of the machine; `null`: it was not kept. */
  readonly load: number | null
  /** Invocations. */
  readonly results: readonly NamedResult[]
}

/**
 * A side of one result, whose runs are its units, or of several, where each invocation is one: what differs between invocations is in none
 * of their runs.
 *
 * @param only the store has this name, as it is the only one of either side
 */
export function sideOf(results: readonly NamedResult[], name: string, only?: string): Side {
  const rows = results.map(({ study, result }) => study.report.rows(result))
  const found = new Map<string, { readonly at: number; readonly one: ResultFigure }[]>()
  for (const [at, own] of rows.entries())
    for (const figure of figuresOf(own)) {
      const one = only === undefined ? figure : { ...figure, store: only }
      const key = figureKey(one)
      const same = found.get(key)
      if (same === undefined) found.set(key, [{ at, one }])
      // Where several stores have one name now, the first one counts.
      else if (same.at(-1)?.at !== at) same.push({ at, one })
    }
  const figures = [...found].map(([key, same]): [string, SampledFigure] => {
    const [{ one }] = same as [(typeof same)[number]]
    const values = results.length === 1 ? one.runs : same.map(({ one: { whole } }) => whole)
    return [key, { ...one, values, of: same.map(({ at }) => at) }]
  })
  const stores = [...new Set(figures.map(([, { store }]) => store))]
  return { name, figures: new Map(figures), stores, load: loadOf(rows.flat()), results }
}

function loadOf(rows: readonly Row[]): number | null {
  const loads = rows.flatMap(({ measure, value }) =>
    measure === 'load average' && typeof value === 'number' ? [value] : [],
  )
  return loads.length === 0 ? null : meanOf(loads)
}
