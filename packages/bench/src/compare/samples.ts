import type { NamedResult } from './differences.ts'
import { figureKey, figuresOf, type ResultFigure } from './figures.ts'

/** A figure of one side of a comparison: its values are of runs, or of whole invocations. */
export interface SampledFigure extends ResultFigure {
  readonly values: readonly number[]
}

/** One side of a comparison. */
export interface Side {
  readonly name: string
  /** Keys are made of the name of the figure, its store and its dimensions. */
  readonly figures: ReadonlyMap<string, SampledFigure>
  readonly stores: readonly string[]
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
  const all = results.map(({ study, result }) => figuresOf(study.report.rows(result)))
  const renamed = all.map((own) => own.map((one) => (only === undefined ? one : { ...one, store: only })))
  const keys = new Set(renamed.flatMap((own) => own.map(figureKey)))
  const figures = [...keys].map((key): [string, SampledFigure] => {
    const found = renamed.flatMap((own) => own.find((one) => figureKey(one) === key) ?? [])
    const [first] = found as [ResultFigure]
    const values = results.length === 1 ? first.runs : found.map(({ whole }) => whole)
    return [key, { ...first, values }]
  })
  const stores = [...new Set(figures.map(([, { store }]) => store))]
  return { name, figures: new Map(figures), stores, results }
}
