import { checkMs, checkOptions, type OptionNames } from '@unikv/core/adapter'
import { type BackOffOptions, backOff, backOffNames, type RetryPolicy, settingsOf } from './retry-policy.ts'

/** Options of `linear`. */
export interface LinearOptions extends BackOffOptions {
  /** How much the bound grows with each failure, in milliseconds. @default 10 */
  readonly stepMs?: number | undefined
}

const names: OptionNames<LinearOptions> = { ...backOffNames, stepMs: true }

/** Waits with full jitter below a bound that grows by a step with each failure: below 10, 20, 30 … 1,000 ms. */
export function linear(options: LinearOptions = {}): RetryPolicy {
  checkOptions('linear', options, names)
  const { stepMs = 10, ...rest } = options
  checkMs({ stepMs })
  const { firstMs, longestMs, ...settings } = settingsOf('linear', { firstMs: stepMs, ...rest })
  return backOff(settings, (step) => Math.min(longestMs, firstMs + stepMs * step))
}
