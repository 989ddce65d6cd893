import { StoreError } from '@unikv/core'
import { random, type SettingsOf, share } from '@unikv/core/adapter'

/** When entries are renewed before they end. */
export const renewalTable = {
  /**
   * Renew entries before their freshness ends: a hit is answered at once, and near the end it may begin a load behind the
   * answer, one for each key: so no reader waits for it. The likelihood is that of XFetch: it begins where
   * `now − beta · loadMs · ln(random) ≥ freshUntil`. `beta` above 1 begins earlier. It takes `background`.
   *
   * @default false; `true` is a `beta` of 1
   */
  refreshAhead: betaOf,
  /**
   * The share of `freshForMs` and `absentForMs`, from 0 to 1, by which each entry may end earlier, at random: so entries
   * that were filled together do not end together. Never later, as these times are promises. @default 0
   */
  jitter: share(0),
  /** Uniform in [0, 1), for `refreshAhead` and `jitter`. @default Math.random */
  random: random(),
}

/** Resolved. */
export interface RenewalSettings extends Omit<SettingsOf<typeof renewalTable>, 'refreshAhead'> {
  /** From `refreshAhead`; 0: entries are not renewed before they end. */
  readonly beta: number
}

/** @throws {StoreError} `INVALID_CONFIG` */
export function checkRenewal({
  beta,
  background,
}: {
  readonly beta: number
  readonly background: unknown
}): void {
  if (beta > 0 && background === undefined)
    throw invalid(
      'refreshAhead needs background, which takes the loads; say background: () => {} in a process that lives on.',
    )
}

interface Times extends RenewalSettings {
  readonly freshForMs: number
  readonly absentForMs: number
  readonly freshFor?: unknown
}

/**
 * The settings, unless they tell of the end of entries where none ends.
 *
 * @throws {StoreError} `INVALID_CONFIG`
 */
export function ending<T extends Times>(settings: T): T {
  const { beta, jitter, freshForMs, absentForMs, freshFor } = settings
  const absentEnds = absentForMs > 0 && absentForMs !== Number.POSITIVE_INFINITY
  if (freshForMs !== Number.POSITIVE_INFINITY || freshFor !== undefined || absentEnds) return settings
  for (const [name, isOn] of Object.entries({ refreshAhead: beta > 0, jitter: jitter > 0 }))
    if (isOn)
      throw invalid(
        `${name} needs a finite freshForMs, as no entry ends without one. Leave ${name} away, or say freshForMs.`,
      )
  return settings
}

function betaOf(refreshAhead: boolean | { readonly beta?: number | undefined } | undefined = false): number {
  if (refreshAhead === false) return 0
  if (refreshAhead === true) return 1
  const { beta = 1 } = (refreshAhead ?? { beta: 0 }) as { readonly beta?: unknown }
  if (typeof refreshAhead !== 'object' || !(typeof beta === 'number' && beta > 0 && Number.isFinite(beta)))
    throw invalid('refreshAhead must be true, false, or { beta } with a number above 0.')
  return beta
}

function invalid(message: string): StoreError {
  return new StoreError('INVALID_CONFIG', message)
}
