import { formatCallers, formatExact, formatMs, listed } from '../../../report/words.ts'
import type {
  ConsistencyResult,
  LevelCost,
  LevelRate,
  Quantile,
  StaleResult,
  StoreLevels,
} from '../result.ts'
import { costText, oriented } from './further-tables.ts'
import { conditionText, percentText, placeText, readsOf } from './words.ts'

/** The findings of a result, in sentences. */
export function findings({ levels, costs, rates, stale, config }: ConsistencyResult): readonly string[] {
  const most = config.callers.at(-1)
  return [
    ...levels.flatMap(levelsText),
    ...costs.filter(({ callers }) => callers === most).map(costSentence),
    ...stale.flatMap(staleSentences),
    ...failures(rates, stale),
  ]
}

/** A store whose calls have nothing to choose. */
function levelsText({ store, declared, pairs }: StoreLevels): readonly string[] {
  if (pairs.length > 1) return []
  if (declared.length === 0)
    return [`${store} declares no consistency levels: every call is answered in the same way.`]
  if (declared.length === 1)
    return [
      `${store} declares one consistency level, ${declared[0]}, so there is nothing to compare it with.`,
    ]
  return [`${store} was measured at one level only. It declares ${listed(declared)}.`]
}

function costSentence(cost: LevelCost): string {
  const { store, condition, callers, pair, other, costPercent, interval, verdict } = oriented(cost)
  const who = `${store}${conditionText(condition)}, ${formatCallers(callers)}`
  if (verdict === 'not-enough-runs' || interval === null)
    return `${who}: ${pair} does ${costText(costPercent)} than ${other}, but there are too few runs to be sure.`
  const range = `95 % interval: ${costText(interval[0])} to ${costText(interval[1])}`
  if (verdict === 'unclear')
    return `${who}: ${pair} and ${other} cannot be told apart by their throughput (${range}).`
  if (verdict === 'no-difference')
    return `${who}: ${pair} costs no throughput that counts beside ${other} (${range}).`
  return `${who}: ${pair} does ${costText(costPercent)} operations a second than ${other} (${range}).`
}

function staleSentences(result: StaleResult): readonly string[] {
  const { reads, stale } = readsOf(result)
  const where = placeText(result)
  if (reads === 0) return [`${where}: no read succeeded after a write.`]
  return [stale === 0 ? neverStale(where, result) : sometimesStale(where, result), ...wentBack(where, result)]
}

/** None is not proof of none: the reads that began first say how rare stale ones may be. */
function neverStale(where: string, { readers, writes }: StaleResult): string {
  const first = readers.flatMap(({ points }) => points.slice(0, 1))
  const bound = Math.max(...first.map(({ high }) => high))
  const when = whenText(first[0]?.delayMs ?? 0)
  return `${where}: no read was stale after ${formatExact(writes)} writes, so ${when} a write fewer than ${percentText(bound, ' %', Math.ceil)} are (95 % sure).`
}

/** `directly after`, `5.00 ms after`. */
function whenText(delayMs: number): string {
  return delayMs === 0 ? 'directly after' : `${formatMs(delayMs)} after`
}

function sometimesStale(where: string, { seen, readers }: StaleResult): string {
  const worst = readers
    .flatMap(({ name, points }) => points.map((point) => ({ name, ...point })))
    .reduce((most, point) => (point.share > most.share ? point : most))
  return `${where}: ${percentText(worst.share)} of the reads by the ${worst.name} were stale ${whenText(worst.delayMs)} the write. ${seenText(seen)}`.trimEnd()
}

/** When all readers saw the writes. */
function seenText({ median, max, unseen }: StaleResult['seen']): string {
  if (max === null) return ''
  const half = median === null || median.isCensored ? undefined : `half of the writes ${withinText(median)}`
  if (max.isCensored) {
    const known = half === undefined ? '' : `All readers saw ${half}. `
    return `${known}${formatExact(unseen)} writes were not seen by all readers within ${formatMs(max.ms)}.`
  }
  return `All readers saw ${half === undefined ? '' : `${half}, and `}all of them ${withinText(max)}.`
}

function withinText({ ms }: Quantile): string {
  return ms === 0 ? 'at once' : `within ${formatMs(ms)}`
}

function wentBack(where: string, { readers }: StaleResult): readonly string[] {
  return readers.flatMap(({ name, wentBack: back }) =>
    back === null || back.found === 0
      ? []
      : [
          `${where}: the ${name} went back in time after ${percentText(back.share)} of the writes that it had seen.`,
        ],
  )
}

function failures(rates: readonly LevelRate[], stale: readonly StaleResult[]): readonly string[] {
  const failed = [
    ...rates.filter(({ errors }) => errors > 0).map(({ errors, ...place }) => ({ ...place, errors })),
    ...stale.map(({ writeErrors, readers, ...place }) => ({
      ...place,
      errors: writeErrors + readers.reduce((sum, { errors }) => sum + errors, 0),
    })),
  ].filter(({ errors }) => errors > 0)
  const byPlace = new Map<string, { count: number; first: string | null }>()
  for (const one of failed) {
    const { count, first } = byPlace.get(placeText(one)) ?? { count: 0, first: one.firstError }
    byPlace.set(placeText(one), { count: count + one.errors, first })
  }
  return [...byPlace].map(
    ([where, { count, first }]) =>
      `${where}: ${formatExact(count)} operations failed, the first with: ${first}`,
  )
}
