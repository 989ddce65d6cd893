import type { Cell } from '../../../cube/cell.ts'
import type { View } from '../../../cube/view.ts'
import { formatCount, formatMs } from '../../../report/words.ts'
import type { UseOfDeltas } from '../config.ts'
import type { DeltasResult } from '../plan.ts'
import type { Reason, Recommendation, Turning, Verdict } from '../recommend.ts'

/** A verdict in words. */
export const verdictWords: Readonly<Record<Verdict, string>> = {
  use: 'use',
  'do-not-use': 'do not use',
  'no-clear-difference': 'no clear difference',
}

/** A share in per cent. */
export function percent(share: number): string {
  if (!Number.isFinite(share)) return '–'
  const value = share * 100
  return `${value >= 99.95 || value === 0 ? value.toFixed(0) : Number(value.toPrecision(2))} %`
}

/** The time of an update and its reads together, and the verdict that follows. */
export function weighed(
  own: Pick<View, 'each' | 'names' | 'within'>,
  { config, points }: DeltasResult,
): View {
  const column = (head: string, told: (found: Recommendation) => string): View['columns'][number] => ({
    head,
    text: ({ place }: Cell) => {
      const found = points.find(
        ({ store, edit, share, size }) =>
          store === place['store'] &&
          edit === place['edit'] &&
          share === place['share'] &&
          size === place['size'],
      )
      return found === undefined ? '–' : told(found.recommendation)
    },
  })
  return {
    ...own,
    columns: [
      column('without', ({ plainMs }) => formatMs(plainMs)),
      column('with deltas', ({ deltaMs }) => formatMs(deltaMs)),
      column('times as long, 95 % CI', timesText),
      column('recommended', verdictText),
      column('deltas are faster', fasterAt),
    ],
    title: ({ store }) => `${store}: an update and ${useInWords(config.use)}`,
  }
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
