import { checkFactoryOptions, checkMs, checkName, invalidConfig, type OptionNames } from '@unikv/core/adapter'

/** Settings of `fallback`. */
export interface FallbackOptions {
  /**
   * How long the primary alone is waited for, in milliseconds; then the secondary is asked too, and the first answer counts.
   *
   * @default half of what is left of the call
   */
  readonly afterMs?: number | undefined
  /**
   * The result for a key that the secondary does not have: `'fail'`, the error of the primary, as an absence cannot be marked stale;
   * or `'answer'`, absent.
   *
   * @default 'fail'
   */
  readonly absent?: 'fail' | 'answer' | undefined
  /** `'fallback'`: a listing whose first page the primary cannot give comes from the secondary. @default 'primary' */
  readonly scans?: 'primary' | 'fallback' | undefined
  /** Name of the tier in `meta.tier` of the secondary's answers. @default the name of the secondary */
  readonly tier?: string | undefined
}

/** Options with their defaults, checked. */
export interface FallbackSettings {
  readonly afterMs: number | undefined
  readonly absent: 'fail' | 'answer'
  readonly scans: 'primary' | 'fallback'
  readonly tier: string
}

const optionNames: OptionNames<FallbackOptions> = { afterMs: true, absent: true, scans: true, tier: true }

/**
 * Check the options and fill in the defaults.
 *
 * @throws {StoreError} `INVALID_CONFIG`
 */
export function fallbackSettings(options: FallbackOptions, tier: string): FallbackSettings {
  checkFactoryOptions('fallback', options, optionNames)
  const { afterMs, absent = 'fail', scans = 'primary' } = options
  checkMs({ afterMs })
  checkName('tier', options.tier)
  if (!['fail', 'answer'].includes(absent)) throw invalidConfig("absent must be 'fail' or 'answer'.")
  if (!['primary', 'fallback'].includes(scans)) throw invalidConfig("scans must be 'primary' or 'fallback'.")
  return { afterMs, absent, scans, tier: options.tier ?? tier }
}
