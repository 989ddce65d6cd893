import { histogramOf } from '@unikv/core/histogram'
import { type YcsbOperationSummary, ycsbText } from '../../ycsb/ycsb-text.ts'
import type { DrivenResult, RunSample, TargetResult } from '../result.ts'
import { targetText } from './words.ts'

/** The text that YCSB prints, of all runs of a store together; several stores one after the other. */
export function ycsbFormat({ targets }: DrivenResult): string {
  return targets
    .map((target) => `${targets.length > 1 ? `# ${targetText(target)}\n` : ''}${ycsbOf(target)}`)
    .join('\n')
}

function ycsbOf({ runs, operations }: TargetResult): string {
  const names = [...new Set(operations.map(({ name }) => name))]
  return ycsbText({
    elapsedMs: runs.reduce((sum, { elapsedMs }) => sum + elapsedMs, 0),
    operations: names.flatMap((name) => summaryOf(name, runs)),
  })
}

function summaryOf(name: string, runs: readonly RunSample[]): YcsbOperationSummary[] {
  const kinds = runs.flatMap((run) => run.kinds.filter((kind) => kind.name === name))
  const [histogram, ...others] = kinds.map(({ service }) => histogramOf(service))
  if (histogram === undefined) return []
  for (const other of others) histogram.merge(other)
  const errors = kinds.reduce((sum, kind) => sum + kind.errors, 0)
  const misses = kinds
    .filter(({ outcome }) => outcome === 'miss')
    .reduce((sum, { service }) => sum + service.count, 0)
  return [{ name, count: histogram.count + errors, histogram, misses, errors }]
}
