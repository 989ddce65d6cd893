import { formatSize } from '../../../data/size-list.ts'
import { formatTimes } from '../../../report/words/units.ts'
import type { CodecSeries, Measured, SizesResult } from '../result.ts'
import { cacheFindings } from './cache-findings.ts'
import { rankings } from './ranking.ts'

/** The findings of a result, in sentences: which store is faster and by how much, the gain of caches, and doubts. */
export function findings(result: SizesResult): string[] {
  return [
    ...rankings(result),
    ...result.caches.flatMap((cache) => cacheFindings(result, cache)),
    ...result.compression.flatMap(compressionFinding),
    ...noiseFinding(result),
  ]
}

function compressionFinding({ algorithm, points }: CodecSeries): string[] {
  const last = points.at(-1)
  if (last === undefined) return []
  const times = last.encode.meanMs / last.decode.meanMs
  const ratio = last.ratio.toFixed(last.ratio >= 10 ? 0 : 1)
  return [
    `${algorithm} at ${formatSize(last.size)}: ${ratio} times smaller; compressing takes ${formatTimes(times)} times as long as decompressing.`,
  ]
}

/** Standard deviation of the runs, as a share of their mean, beyond which they disagree. */
const NOISY = 0.25

/** A warning where half of the points say little, since readers of a report trust its curves. */
function noiseFinding(result: SizesResult): string[] {
  const shares = allPoints(result)
    .flatMap(({ meanMs, deviationMs }) => (deviationMs === null ? [] : [deviationMs / meanMs]))
    .sort((a, b) => a - b)
  const median = shares[shares.length >> 1]
  if (median === undefined || median <= NOISY) return []
  return [
    `The runs disagree: at half of the points their standard deviation is more than ${Math.round(median * 100)} % of the mean. The machine was busy with other work; measure again, or with more runs.`,
  ]
}

function allPoints({ latency, cache, encryption, compression }: SizesResult): Measured[] {
  return [
    ...latency.flatMap(({ points }) => points),
    ...cache.flatMap(({ points }) => points.flatMap(({ hit, miss }) => [hit, miss])),
    ...[...encryption, ...compression].flatMap(({ points }) =>
      points.flatMap(({ encode, decode }) => [encode, decode]),
    ),
  ]
}
