import { StoreError } from '../contract/errors.ts'

/** The times that an option takes, where these are not all above 0. */
export interface MsLimits {
  /** Shortest time. `0` stands for *at once*. @default any above 0 */
  readonly least?: number | undefined
  /** Longest time. @default `Infinity`, which means *never* */
  readonly most?: number | undefined
  /** @default 'INVALID_CONFIG' */
  readonly code?: 'INVALID_ARGUMENT' | 'INVALID_CONFIG' | undefined
}

/**
 * Check an option that takes milliseconds. Fractions are allowed, and so is `Infinity` where no longest time is set.
 *
 * @throws {StoreError} `INVALID_CONFIG`, or the given code
 */
export function checkedMs(name: string, ms: unknown, limits: MsLimits = {}): number {
  const { least, most = Number.POSITIVE_INFINITY, code = 'INVALID_CONFIG' } = limits
  const isEnough = typeof ms === 'number' && (least === undefined ? ms > 0 : ms >= least)
  if (isEnough && ms <= most) return ms
  const from = least === undefined ? 'above 0' : `of at least ${least}`
  const to = most === Number.POSITIVE_INFINITY ? '; Infinity means never' : ` and at most ${most}`
  throw new StoreError(code, `${name} must be a number of milliseconds ${from}${to}; got ${said(ms)}.`)
}

/** Check several options of one object; those that are absent pass. */
export function checkMs(options: Readonly<Record<string, unknown>>, limits: MsLimits = {}): void {
  for (const [name, ms] of Object.entries(options)) if (ms !== undefined) checkedMs(name, ms, limits)
}

/** A number as it is; of anything else only what it is. */
function said(ms: unknown): string {
  return typeof ms === 'number' ? String(ms) : ms === null ? 'null' : `a ${typeof ms}`
}
