import { StoreError } from '@unikv/core'
import { checkOptions } from '@unikv/core/adapter'

/** Ends of a session besides `END`. Numbers of 0 or less turn a limit off. */
export interface Limits {
  /** Most interactions of a session. @default off */
  readonly maxCount?: number | undefined
  /** No interaction begins after so many milliseconds of a session. @default off */
  readonly maxTimeMs?: number | undefined
  /** A session that comes to `END` earlier goes on from `START`. @default off */
  readonly minTimeMs?: number | undefined
}

/** Limits with numbers for all. */
export interface CheckedLimits {
  readonly maxCount: number
  readonly maxTimeMs: number
  readonly minTimeMs: number
}

const names: Readonly<Record<keyof Limits, true>> = { maxCount: true, maxTimeMs: true, minTimeMs: true }

/**
 * Limits that are checked, with `Infinity` for most that are off.
 *
 * @throws {StoreError} `INVALID_CONFIG`
 */
export function checkedLimits(limits: Limits = {}): CheckedLimits {
  checkOptions('limits', limits, names)
  for (const [name, value] of Object.entries(limits))
    if (value !== undefined && (typeof value !== 'number' || Number.isNaN(value)))
      throw wrong(
        `${name} of a session must be a number, got ${String(value)}. A number of 0 or less turns it off.`,
      )
  const { maxCount = 0, maxTimeMs = 0, minTimeMs = 0 } = limits
  if (minTimeMs === Infinity)
    throw wrong('minTimeMs of a session must be finite, as the session would not end.')
  const checked = {
    maxCount: maxCount > 0 ? Math.ceil(maxCount) : Infinity,
    maxTimeMs: maxTimeMs > 0 ? maxTimeMs : Infinity,
    minTimeMs: Math.max(0, minTimeMs),
  }
  if (checked.minTimeMs > checked.maxTimeMs)
    throw wrong(`minTimeMs of a session (${minTimeMs}) is above its maxTimeMs (${maxTimeMs}).`)
  return checked
}

function wrong(message: string): StoreError {
  return new StoreError('INVALID_CONFIG', message)
}
