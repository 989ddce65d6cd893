import type { KindSample } from '../../drive/sample.ts'
import { percent } from '../../report/words/percent.ts'
import { formatCount, formatMs } from '../../report/words/units.ts'
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
