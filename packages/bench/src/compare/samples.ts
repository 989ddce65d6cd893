import type { Row } from '../cube/row.ts'
import { meanOf } from '../statistics/moments.ts'
import type { NamedResult } from './differences.ts'
import { figureKey, figuresOf, type ResultFigure } from './figures.ts'

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
  const all = rows.map((own) => figuresOf(own))
  const renamed = all.map((own) => own.map((one) => (only === undefined ? one : { ...one, store: only })))
  const keys = new Set(renamed.flatMap((own) => own.map(figureKey)))
  const figures = [...keys].map((key): [string, SampledFigure] => {
    const found = renamed.flatMap((own, at) => {
      const one = own.find((figure) => figureKey(figure) === key)
      return one === undefined ? [] : [{ at, one }]
    })
    const first = found[0] as (typeof found)[number]
    const values = results.length === 1 ? first.one.runs : found.map(({ one }) => one.whole)
    return [key, { ...first.one, values, of: found.map(({ at }) => at) }]
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
