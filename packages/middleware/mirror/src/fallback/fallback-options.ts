import { label, ms, type OptionsOf, oneOf, readOptions } from '@unikv/core/adapter'

const table = {
  /**
   * How long the primary alone is waited for, in milliseconds; then the secondary is asked too, and the first answer counts.
   *
   * @default half of what is left of the call
   */
  afterMs: ms(undefined),
  /**
   * The result for a key that the secondary does not have: `'fail'`, the error of the primary, as an absence cannot be marked stale;
   * or `'answer'`, absent.
   *
   * @default 'fail'
   */
  absent: oneOf('fail', ['fail', 'answer']),
  /** `'fallback'`: a listing whose first page the primary cannot give comes from the secondary. @default 'primary' */
  scans: oneOf('primary', ['primary', 'fallback']),
  /** Name of the tier in `meta.tier` of the secondary's answers. @default the name of the secondary */
  tier: label(undefined),
}

/** Settings of `fallback`. */
export interface FallbackOptions extends OptionsOf<typeof table> {}

/** Options with their defaults, checked. */
export type FallbackSettings = ReturnType<typeof fallbackSettings>

/**
 * Check the options and fill in the defaults.
 *
 * @throws {StoreError} `INVALID_CONFIG`
 */
export function fallbackSettings(options: FallbackOptions, tier: string) {
  const settings = readOptions('fallback', table, options)
  return { ...settings, tier: settings.tier ?? tier }
}
