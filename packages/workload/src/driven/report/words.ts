import type { KindSample } from '../../drive.ts'
import { formatCount, formatMs, percent } from '../../report.ts'
import type { OperationResult, ThresholdResult } from '../result.ts'
import { parseThreshold } from '../thresholds/threshold.ts'

/** An operation and its outcome: `read`, `read (miss)`. */
export function operationText({
  name,
  outcome,
}: Pick<OperationResult | KindSample, 'name' | 'outcome'>): string {
  return outcome === null ? name : `${name} (${outcome})`
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
