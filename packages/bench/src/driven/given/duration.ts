import { StoreError } from '@unikv/core'

const units: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/**
 * Milliseconds of a time such as `500ms`, `5s`, `1.5m`, `1h` or `7d`; a number alone is seconds.
 *
 * @throws {StoreError} `INVALID_ARGUMENT`
 */
export function parseDuration(text: string): number {
  const [, amount = '', unit = 's'] = /^\s*(\d+(?:\.\d+)?)\s*(ms|s|m|h|d)?\s*$/.exec(text) ?? []
  const ms = amount === '' ? Number.NaN : Number(amount) * (units[unit] as number)
  if (Number.isFinite(ms)) return ms
  throw new StoreError('INVALID_ARGUMENT', `'${text}' is not a time. Write it like 500ms, 30s, 5m, 1h or 7d.`)
}
