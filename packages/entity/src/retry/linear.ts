import { ms, type OptionsOf, readOptions } from '@unikv/core/adapter'
import { type BackOffOptions, backOff, backOffTable, type RetryPolicy } from './retry-policy.ts'

const stepTable = {
  /** How much the bound grows with each failure, in milliseconds. @default 10 */
  stepMs: ms(10),
}

/** Options of `linear`. */
export interface LinearOptions extends BackOffOptions, OptionsOf<typeof stepTable> {}

/** Waits with full jitter below a bound that grows by a step with each failure: below 10, 20, 30 … 1,000 ms. */
export function linear(options: LinearOptions = {}): RetryPolicy {
  const { stepMs, longestMs, ...settings } = readOptions('linear', { ...backOffTable, ...stepTable }, options)
  const firstMs = options.firstMs ?? stepMs
  return backOff(settings, (step) => Math.min(longestMs, firstMs + stepMs * step))
}
