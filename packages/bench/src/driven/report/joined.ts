import type { NamedResult } from '../compare/compare-results.ts'
import type { ComparableResult } from '../compare/differences.ts'
import type { DrivenBody, TargetResult } from '../result.ts'

/**
 * Several results of one study as one, for a page of them all: each store of each result is a row, with the name of its
 * result. Findings that compare stores stay within a result. Configuration, data and machine are those of the first one.
 *
 * @throws {RangeError} without a result
 */
export function joinedResult<R extends ComparableResult & DrivenBody>(
  results: readonly (NamedResult & { readonly result: R })[],
): R {
  const [first] = results
  if (first === undefined) throw new RangeError('There is no result to join.')
  const all = results.map(({ result }) => result)
  const unfit = results.filter(({ result }) => result.error !== null)
  return {
    ...first.result,
    status: all.find(({ status }) => status !== 'complete')?.status ?? 'complete',
    error: unfit.length === 0 ? null : unfit.map(({ name, result }) => `${name}: ${result.error}`).join(' '),
    runId: all.map(({ runId }) => runId).join(', '),
    elapsedMs: all.reduce((sum, { elapsedMs }) => sum + elapsedMs, 0),
    command: null,
    stores: results.flatMap(({ name, result }) =>
      result.stores.map((store) => ({ ...store, name: `${store.name} ${name}` })),
    ),
    targets: results.flatMap(({ name, result }) => result.targets.map((target) => renamed(target, name))),
    thresholds: results.flatMap(({ name, result }) =>
      result.thresholds.map((threshold) => ({ ...threshold, store: `${threshold.store} ${name}` })),
    ),
  }
}

function renamed(target: TargetResult, name: string): TargetResult {
  return { ...target, phase: target.phase === null ? name : `${target.phase} ${name}` }
}
