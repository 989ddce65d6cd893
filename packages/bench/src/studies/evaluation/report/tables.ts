import type { OperationResult } from '../../../driven/result.ts'
import { FileNames } from '../../../report/files/file-names.ts'
import type { Table } from '../../../report/table.ts'
import { isMissing } from '../../sweep/is-missing.ts'
import { sweep } from '../../sweep/sweep.ts'
import type { EvaluationResult } from '../result.ts'
import { candidateCurves, sweptIn } from './swept.ts'

/** Columns of numbers: those of the sweep, times of each operation, and levels of consistency. */
export function tables(result: EvaluationResult): readonly Table[] {
  const names = new FileNames()
  const rates = sweep.report.tables(sweptIn(result)).filter(({ key }) => !key.startsWith('times/'))
  const all = [
    ...rates,
    ...operationsIn(result).map((one) => timesTable(result, one)),
    ...levelTables(result),
  ]
  return all.map((table) => ({ ...table, name: names.claim(table.name) }))
}

/** An operation of a load. */
export interface OperationOfLoad {
  readonly load: string
  readonly operation: string
}

/** Every operation that a load does, in the order of the loads. */
export function operationsIn({ config }: EvaluationResult): readonly OperationOfLoad[] {
  return config.sweep.loads.flatMap(({ name: load, mix }) =>
    Object.entries(mix).flatMap(([operation, weight]) => (weight > 0 ? [{ load, operation }] : [])),
  )
}

/** The key of the table with the times of an operation. */
export function timesKey({ load, operation }: OperationOfLoad): string {
  return `times/${load}/${operation}`
}

function timesTable(result: EvaluationResult, { load, operation }: OperationOfLoad): Table {
  const curves = candidateCurves(result).filter((curve) => curve.load === load)
  return {
    key: timesKey({ load, operation }),
    name: `times-${fileText(load)}-${fileText(operation)}`,
    title: `${operation} in ${load}: service times over callers`,
    columns: ['callers', ...curves.flatMap(({ store }) => [`${store}_mean_ms`, `${store}_p95_ms`])],
    rows: result.config.sweep.over.values.map((value) => [
      value,
      ...curves.flatMap(({ points }) => {
        const point = points.find((one) => one.value === value)
        const found =
          point === undefined || isMissing(point) ? undefined : successOf(point.operations, operation)
        return found === undefined ? [null, null] : [found.service.meanMs.mean, found.service.p95Ms]
      }),
    ]),
  }
}

function successOf(operations: readonly OperationResult[], operation: string): OperationResult | undefined {
  return operations.find(({ name, outcome, count }) => name === operation && outcome === null && count > 0)
}

function levelTables({ comparisons }: EvaluationResult): readonly Table[] {
  return comparisons.map(({ candidate, load, points }) => ({
    key: `levels/${candidate}`,
    name: `levels-${fileText(candidate)}`,
    title: `${candidate}, ${load}: operations a second by level of consistency`,
    columns: ['callers', 'strong_per_s', 'eventual_per_s'],
    rows: points.map(({ callers, strong, eventual }) => [callers, strong, eventual]),
  }))
}

function fileText(name: string): string {
  return name.replace(/[^\w]+/g, '-').replace(/^-|-$/g, '')
}
