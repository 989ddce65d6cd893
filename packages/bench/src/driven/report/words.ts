import type { ConnectionCount } from '../../drive/clients.ts'
import type { KindSample } from '../../drive/driver.ts'
import { formatCount, formatExact, formatMs, percent } from '../../report/words.ts'
import type { SetupLine } from '../../study/study-report.ts'
import type { ClientOptions } from '../given/loop-options.ts'
import type { OperationResult, ThresholdResult } from '../result.ts'
import { parseThreshold } from '../thresholds/threshold.ts'

/** An operation and its outcome: `read`, `read (miss)`. */
export function operationText({
  name,
  outcome,
}: Pick<OperationResult | KindSample, 'name' | 'outcome'>): string {
  return outcome === null ? name : `${name} (${outcome})`
}

/** A store, or a phase in it: `redis`, `redis peak`. */
export function targetText({
  store,
  phase,
}: {
  readonly store: string
  readonly phase: string | null
}): string {
  return phase === null ? store : `${store} ${phase}`
}

/** The same for columns and files. */
export function targetKey(target: Parameters<typeof targetText>[0]): string {
  return targetText(target).replaceAll(' ', '_')
}

/** A percentile in words: `p50`, `p99.9`. */
export function percentileText(oneIn: number): string {
  return `p${Number((100 - 100 / oneIn).toPrecision(6))}`
}

/** A threshold and what it came to: `redis: read.p99 > 10 ms (found 12.3 ms)`. */
export function thresholdText({ store, text, found }: ThresholdResult): string {
  return `${store}: ${text} (found ${foundText(text, found)})`
}

/** The figure of a threshold in its unit. */
export function foundText(text: string, found: number | null): string {
  if (found === null) return 'too few operations'
  const { unit } = parseThreshold(text)
  if (unit === 'ms') return formatMs(found)
  if (unit === 'share') return `${percent(found)} %`
  return unit === 'count' ? found.toLocaleString('en-US') : `${formatCount(found)}/s`
}

/** Operations of the runs of a store, and calls that reached it for them; `null`: not counted. */
export interface CountedCalls {
  readonly store: string
  readonly operations: number
  readonly calls: number | null
}

/** The most connections of the callers of each store, and the nodes that they went to; nothing where all have one. */
export function connectionLines(
  runs: readonly { readonly store: string; readonly connections?: readonly ConnectionCount[] | undefined }[],
): readonly SetupLine[] {
  const told = [...new Set(runs.map(({ store }) => store))].flatMap((store) => {
    const counted = runs.flatMap((run) => (run.store === store ? [run.connections ?? []] : []))
    const [most = []] = counted.toSorted((one, other) => totalOf(other) - totalOf(one))
    return totalOf(most) > 1 ? [`${store} ${formatExact(totalOf(most))}${nodesText(most)}`] : []
  })
  return told.length === 0 ? [] : [['connections', `at most: ${told.join('; ')}`]]
}

function totalOf(counts: readonly ConnectionCount[]): number {
  return counts.reduce((sum, { count }) => sum + count, 0)
}

function nodesText(counts: readonly ConnectionCount[]): string {
  const nodes = counts.flatMap(({ node, count }) =>
    node === null ? [] : [`${formatExact(count)} to ${node}`],
  )
  return nodes.length === 0 ? '' : ` (${nodes.join(', ')})`
}

/** The way from the callers to the stores, in a line of the setup; nothing for results that do not tell it. */
export function callLines(
  { merge, connections }: Omit<ClientOptions, 'allowMisses'>,
  counted: readonly CountedCalls[],
): readonly SetupLine[] {
  const known = counted.flatMap(({ calls, ...one }) => (calls === null ? [] : [{ ...one, calls }]))
  if (known.length === 0) return []
  const how =
    merge === 'on' ? 'merged, as those of one application' : 'not merged: each caller has its own client'
  const over =
    connections === 'each'
      ? 'the store is opened once for each caller'
      : connections === 1
        ? 'over the connections of one open store'
        : `the store is opened ${formatExact(connections)} times`
  const counts = [...new Set(known.map(({ store }) => store))].map((store) => {
    const own = known.filter((one) => one.store === store)
    const [calls, operations] = (['calls', 'operations'] as const).map((of) =>
      own.reduce((sum, one) => sum + one[of], 0).toLocaleString('en-US'),
    )
    return `${store} got ${calls} for ${operations} operations`
  })
  return [['calls', `${how}; ${over}; ${counts.join(', ')}`]]
}
