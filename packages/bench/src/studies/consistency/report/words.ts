import { formatMs } from '../../../report/words.ts'
import type { Condition } from '../plan.ts'
import type { CountedShare, LevelPlace, Quantile, StaleResult } from '../result.ts'

/** `redis, strong`, and whether it was disturbed. */
export function placeText({ store, pair, condition }: LevelPlace): string {
  return `${store}, ${pair}${conditionText(condition)}`
}

/** `, disturbed`, or nothing. */
export function conditionText(condition: Condition): string {
  return condition === 'calm' ? '' : ', disturbed'
}

/** A share in per cent with its interval; of nothing found, the bound that it leaves. */
export function shareText({ found, of, share, low, high }: CountedShare): string {
  if (found === 0) return `< ${percentText(high, ' %', Math.ceil)}`
  if (found === of) return `> ${percentText(low, ' %', Math.floor)}`
  return `${percentText(share)} (${percentText(low, '')}–${percentText(high)})`
}

/** As many digits as tell something: `0.05 %`, `4.2 %`, `97 %`, `99.75 %`. A bound is rounded away from the share. */
export function percentText(
  share: number,
  unit = ' %',
  rounded: (value: number) => number = Math.round,
): string {
  const percent = share * 100
  const isNearAnEnd = percent < 0.995 || (percent > 99 && percent < 100)
  const scale = isNearAnEnd ? 100 : percent < 9.95 ? 10 : 1
  return `${rounded(Number((percent * scale).toFixed(6))) / scale}${unit}`
}

/** A time, or that it is later. */
export function quantileText(quantile: Quantile | null): string {
  if (quantile === null) return '–'
  const { ms, isCensored } = quantile
  if (isCensored) return `> ${formatMs(ms)}`
  return ms === 0 ? 'at once' : formatMs(ms)
}

/** The reads of all readers that were stale, or that were not. */
export function readsOf({ readers }: Pick<StaleResult, 'readers'>): {
  readonly reads: number
  readonly stale: number
} {
  const points = readers.flatMap((one) => one.points)
  return {
    reads: points.reduce((sum, { of }) => sum + of, 0),
    stale: points.reduce((sum, { found }) => sum + found, 0),
  }
}

/** A part of a file name. */
export function fileText(text: string): string {
  return text.replace(/[^\w]+/g, '-').replace(/^-|-$/g, '')
}
