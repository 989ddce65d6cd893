import type { Verdict } from '../recommend.ts'

/** A verdict in words. */
export const verdictWords: Readonly<Record<Verdict, string>> = {
  use: 'use',
  'do-not-use': 'do not use',
  'no-clear-difference': 'no clear difference',
}

/** A share in per cent. */
export function percent(share: number): string {
  const value = share * 100
  return `${value >= 99.95 || value === 0 ? value.toFixed(0) : Number(value.toPrecision(2))} %`
}
