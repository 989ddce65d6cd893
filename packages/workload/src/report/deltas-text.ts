import type { UseOfDeltas } from '../deltas/config.ts'
import type { Reason, Recommendation, Turning, Verdict } from '../deltas/recommend.ts'
import type { DeltaPoint, DeltasResult, Timed } from '../deltas/result.ts'
import { formatSize } from '../sizes/size-list.ts'
import { markdownOf, type ReportTable, textOf } from './report-table.ts'
import { formatCount, formatMs } from './units.ts'
import { wrapped } from './wrapped.ts'

/**
 * The result as text for a terminal: for each store what was measured, and what is recommended.
 *
 * @param width columns of the terminal; wider tables are folded. Default: no table is
 */
export function deltasText(result: DeltasResult, width: number = Number.POSITIVE_INFINITY): string {
  return parts(result)
    .flatMap(({ tables, note, recommendation }) => [
      ...tables.map((table) => textOf(table, width)),
      ...(note === undefined ? [] : [`${wrapped(note, width, '')}\n`]),
      `${recommendation}\n`,
    ])
    .join('\n')
}

/** The same as GitHub-flavored Markdown, for a design document. */
export function deltasMarkdown(result: DeltasResult): string {
  const body = parts(result).flatMap(({ store, tables, note, recommendation }) => [
    `## ${store}`,
    recommendation.replaceAll('\n  ', '\n- ').replace('\n- ', '\n\n- '),
    ...tables.map((table) => markdownOf(table).trimEnd()),
    ...(note === undefined ? [] : [note]),
  ])
  return `${['# unikv bench deltas', ...body].join('\n\n')}\n`
}

/** What is said of one store. */
interface StorePart {
  readonly store: string
  readonly tables: readonly ReportTable[]
  readonly note: string | undefined
  readonly recommendation: string
}

function parts(result: DeltasResult): StorePart[] {
  return result.stores.flatMap(({ name: store }) => {
    const points = result.points.filter((point) => point.store === store)
    if (points.length === 0) return []
    return {
      store,
      tables: [bytesTable(store, points), timesTable(store, points), weighed(store, points, result)],
      note: points.some(({ delta }) => delta.readTrips > 1.05) ? chainNote : undefined,
      recommendation: recommendationOf(store, points),
    }
  })
}

function bytesTable(store: string, points: readonly DeltaPoint[]): ReportTable {
  const rows = points.map((point) => {
    const { plain, delta, valueBytes, deltaShare } = point
    return [
      ...placeOf(point),
      formatCount(valueBytes),
      percent(deltaShare),
      formatCount(delta.sentBytes),
      percent(delta.sentBytes / plain.sentBytes),
      percent(delta.storedBytes / plain.storedBytes),
      percent(delta.readBytes / plain.readBytes),
      percent(delta.knownReadBytes / plain.knownReadBytes),
      `${formatCount(plain.cpuNsPerByte)} → ${formatCount(delta.cpuNsPerByte)}`,
    ]
  })
  const head = [
    ...place,
    'value B',
    'deltas',
    'sent B',
    'sent',
    'stored',
    'read',
    'known read',
    'CPU ns/byte',
  ]
  const title = `${store}: bytes with deltas, per cent of those without; processor time of an update`
  return { title, head, rows, names: place.length }
}

function timesTable(store: string, points: readonly DeltaPoint[]): ReportTable {
  const rows = points.map((point) => {
    const { plain, delta } = point
    return [
      ...placeOf(point),
      percentiles(plain.update),
      percentiles(delta.update),
      percentiles(plain.read),
      percentiles(delta.read),
      percentiles(delta.knownRead),
    ]
  })
  const head = [...place, 'update', 'with deltas', 'read', 'with deltas', 'if known before']
  return { title: `${store}: p50 and p99 of an update and of a read`, head, rows, names: place.length }
}

function weighed(store: string, points: readonly DeltaPoint[], { config }: DeltasResult): ReportTable {
  const rows = points.map((point) => {
    const { recommendation: found } = point
    return [
      ...placeOf(point),
      formatMs(found.plainMs),
      formatMs(found.deltaMs),
      timesText(found),
      verdictText(found),
      fasterAt(found),
    ]
  })
  const head = [
    ...place,
    'without',
    'with deltas',
    'times as long, 95 % CI',
    'recommended',
    'deltas are faster',
  ]
  return { title: `${store}: an update and ${useInWords(config.use)}`, head, rows, names: place.length }
}

const chainNote =
  'Shorter chains (--max-deltas) make reads of unknown values faster, and updates longer on average.'

const place = ['edit', 'share', 'size'] as const

function placeOf({ edit, share, size }: DeltaPoint): string[] {
  return [edit, percent(share), formatSize(size)]
}

/** For which sizes and edits, in sentences. */
export function recommendationOf(store: string, points: readonly DeltaPoint[]): string {
  const verdicts = [...new Set(points.map(({ recommendation }) => recommendation.verdict))]
  const [only] = verdicts
  const head = `Recommendation for ${store}: `
  if (verdicts.length === 1 && only !== undefined) return `${head}${allWords[only]}.`
  const kinds = [...new Set(points.map(kindOf))]
  const lines = kinds.map((kind) => `  ${kind}: ${stretches(points.filter((one) => kindOf(one) === kind))}`)
  return [`${head}it depends.`, ...lines].join('\n')
}

const verdictWords: Readonly<Record<Verdict, string>> = {
  use: 'use',
  'do-not-use': 'do not use',
  'no-clear-difference': 'no clear difference',
}

const allWords: Readonly<Record<Verdict, string>> = {
  use: 'use deltas, at all sizes and edits that were measured',
  'do-not-use': 'do not use deltas, at any of the sizes and edits that were measured',
  'no-clear-difference': 'no clear difference, at any of the sizes and edits that were measured',
}

function kindOf({ edit, share }: DeltaPoint): string {
  return edit === 'random' ? edit : `${edit}, ${percent(share)}`
}

/** Neighbouring sizes of one verdict together: `do not use at 2 KB; use from 10 KB to 100 KB`. */
function stretches(points: readonly DeltaPoint[]): string {
  const found: { readonly verdict: Verdict; readonly sizes: number[] }[] = []
  for (const { size, recommendation } of points) {
    const last = found.at(-1)
    if (last?.verdict === recommendation.verdict) last.sizes.push(size)
    else found.push({ verdict: recommendation.verdict, sizes: [size] })
  }
  const only = found.length === 1 && points.length > 1
  return found
    .map(({ verdict, sizes }) => `${verdictWords[verdict]} ${only ? 'at every size' : stretch(sizes)}`)
    .join('; ')
}

function stretch(sizes: readonly number[]): string {
  const [first, last] = [sizes[0] as number, sizes.at(-1) as number]
  return first === last ? `at ${formatSize(first)}` : `from ${formatSize(first)} to ${formatSize(last)}`
}

const reasonWords: Readonly<Record<Reason, string>> = {
  'written-whole': ': no delta was sent',
  'saves-too-little': ': saves too little',
  faster: '',
  slower: '',
  overlap: '',
  'one-run': ': one run',
}

/** A difference that is certain but too small to matter is not one that cannot be told. */
function verdictText({ verdict, reason, ratio: { low, high } }: Recommendation): string {
  const isCertain = low !== null && high !== null && (high < 1 || low > 1)
  return reason === 'overlap' && isCertain
    ? 'difference below 5 %'
    : verdictWords[verdict] + reasonWords[reason]
}

function timesText({ ratio: { mean, low, high } }: Recommendation): string {
  const digits = (value: number): string => (value < 9.995 ? value.toFixed(2) : formatCount(value))
  return low === null || high === null ? digits(mean) : `${digits(mean)} (${digits(low)} to ${digits(high)})`
}

/** On which networks, and at how many reads for each update, deltas take less time: what would turn the answer. */
function fasterAt({ reason, network, reads }: Recommendation): string {
  if (reason === 'written-whole' || reason === 'saves-too-little') return '–'
  const speed =
    network.at === null
      ? `at ${network.pays === 'always' ? 'any' : 'no'} speed`
      : `${sideOf(network)} ${formatCount(network.at)} Mbit/s`
  return reads.at === null || reads.at < 0.01
    ? speed
    : `${speed}, ${sideOf(reads)} ${formatCount(reads.at)} reads`
}

function sideOf({ pays }: Turning): string {
  return pays === 'up-to' ? 'below' : 'above'
}

function useInWords({ reads, knownReads, mbits, roundTripMs }: UseOfDeltas): string {
  const by =
    knownReads === 0
      ? 'by processes that do not know the value'
      : `${percent(knownReads)} by processes that knew it before`
  const count = `${Number(reads.toPrecision(3))} ${reads === 1 ? 'read' : 'reads'}${knownReads === 0 ? '' : ','}`
  const over = mbits === null ? '' : `, over ${Number(mbits.toPrecision(3))} Mbit/s`
  const away = roundTripMs === 0 ? '' : `, ${Number(roundTripMs.toPrecision(3))} ms more for a round trip`
  return `${reads === 0 ? 'no read' : `${count} ${by}`}${over}${away}`
}

function percentiles({ p50Ms, p99Ms }: Timed): string {
  if (p50Ms === null) return '–'
  return `${formatMs(p50Ms)} ${p99Ms === null ? '–' : formatMs(p99Ms)}`
}

function percent(share: number): string {
  const value = share * 100
  return `${value >= 99.95 || value === 0 ? value.toFixed(0) : Number(value.toPrecision(2))} %`
}
