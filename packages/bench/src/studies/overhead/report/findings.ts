import { Cell } from '../../../cube/cell.ts'
import { formatDuration, formatExact } from '../../../report/words.ts'
import type { OverheadResult, OverheadTrend } from '../config.ts'
import { nameOf } from '../layers.ts'
import { type Added, addedIn, addedText, percentText, us } from './words.ts'

/** The findings of a result, in sentences. */
export function findings(result: OverheadResult): readonly string[] {
  const all = new Cell(result.rows, {})
  return all.valuesOf('store').flatMap((one) => {
    const store = String(one)
    const own = all.at({ store })
    const others = own.valuesOf('side').slice(1).map(String)
    return [
      ...others.map((side) => costs(result, own, side)),
      ...others.flatMap((side) => overVolumes(result, store, side)),
      ...relative(own),
      ...withoutSearch(result, own),
      ...leftOut(result, store),
    ]
  })
}

/** The name of a side in a sentence. */
function sideText(side: string, { config }: OverheadResult): string {
  return side === 'layers' ? `unikv with ${config.layers.map(nameOf).join(', ')}` : side
}

/** At the smallest volume, operation by operation. */
function costs(result: OverheadResult, own: Cell, side: string): string {
  const records = Math.min(...own.valuesOf('records').map(Number))
  const cell = own.at({ records, side })
  const found = cell.valuesOf('operation').flatMap((operation) => {
    const added = addedIn(cell.at({ operation }))
    return added === null ? [] : [{ operation, added }]
  })
  const parts = found
    .filter(({ added }) => !isUnknown(added))
    .map(({ operation, added }) => `${operation} ${addedText(added)}`)
  const unknown = found.filter(({ added }) => isUnknown(added)).map(({ operation }) => operation)
  if (unknown.length > 0) parts.push(`for ${unknown.join(', ')} no difference that these runs can tell`)
  const few = found.some(({ added }) => added.low === null) ? ' (too few runs for an interval)' : ''
  return `${own.place['store']}: what ${sideText(side, result)} adds to the native client${few}: ${parts.join('; ')}.`
}

/** Whether the interval of the difference holds zero. */
function isUnknown({ low, high }: Added): boolean {
  return low !== null && high !== null && low <= 0 && high >= 0
}

function overVolumes(result: OverheadResult, store: string, side: string): readonly string[] {
  const own = result.trends.filter((trend) => trend.store === store && trend.side === side)
  if (own.length === 0) return []
  const named = (verdict: OverheadTrend['verdict']): string =>
    own
      .filter((one) => one.verdict === verdict)
      .map(({ operation }) => operation)
      .join(', ')
  const told = (
    [
      ['constant', 'stays the same'],
      ['grows', 'grows'],
      ['falls', 'falls'],
      ['unclear', 'cannot be told from so few runs'],
    ] as const
  ).flatMap(([verdict, words]) => (named(verdict) === '' ? [] : [`${words} for ${named(verdict)}`]))
  return [`${store}: as the volume grows, what ${sideText(side, result)} adds ${told.join(', ')}.`]
}

/** The cost is the same, so its share is smaller where the native client is slower. */
function relative(own: Cell): readonly string[] {
  const places = own
    .valuesOf('records')
    .flatMap((records) => own.valuesOf('operation').map((operation) => own.at({ records, operation })))
  const known = places
    .flatMap((place) => {
      const added = addedIn(place.at({ side: 'unikv' }))
      const nativeMs = place.at({ side: 'native' }).figure('service', 'p50')
      return added === null || nativeMs === null || isUnknown(added) ? [] : [{ nativeMs, ...added }]
    })
    .toSorted((a, b) => a.nativeMs - b.nativeMs)
  const [fastest, slowest] = [known[0], known.at(-1)]
  if (fastest === undefined || slowest === undefined || fastest.percent <= slowest.percent) return []
  const [most, least] = [fastest, slowest].map(
    ({ percent, nativeMs }) => `${percentText(percent)} of ${us(nativeMs)}`,
  )
  return [
    `${own.place['store']}: the share of unikv falls as the native time rises, from ${most} to ${least}.`,
  ]
}

/** Sides that a store was searched without. */
function withoutSearch(result: OverheadResult, own: Cell): readonly string[] {
  const searched = own.at({ operation: 'search' }).valuesOf('side')
  const others = own.valuesOf('side').filter((side) => !searched.includes(side))
  if (searched.length === 0 || others.length === 0) return []
  const names = others.map((side) => sideText(String(side), result)).join(', ')
  return [`${own.place['store']}: missing: search by ${names}, which has no queries by fields here.`]
}

function leftOut({ notRun }: OverheadResult, store: string): readonly string[] {
  return notRun
    .filter((one) => one.store === store)
    .map(
      ({ volume, needsMs, leftMs }) =>
        `${store}: not run with ${formatExact(volume)} records, which would take about ${formatDuration(needsMs)}; ${formatDuration(leftMs)} of the budget was left.`,
    )
}
