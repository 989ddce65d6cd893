import { formatSize } from '../../../data/size-list.ts'
import type { ReportTable } from '../../../report/report-table.ts'
import { formatCount, formatMs } from '../../../report/words/units.ts'
import type { UseOfDeltas } from '../config.ts'
import type { Reason, Recommendation, Turning } from '../recommend.ts'
import type { DeltaPoint, DeltasResult, Timed } from '../result.ts'
import { percent, verdictWords } from './words.ts'

/** The result as tables for people: three for each store. */
export function summaryTables(result: DeltasResult): readonly ReportTable[] {
  return result.stores.flatMap(({ name: store }) => {
    const points = result.points.filter((point) => point.store === store)
    if (points.length === 0) return []
    return [bytesTable(store, points), timesTable(store, points), weighed(store, points, result)]
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

const place = ['edit', 'share', 'size'] as const

function placeOf({ edit, share, size }: DeltaPoint): string[] {
  return [edit, percent(share), formatSize(size)]
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
