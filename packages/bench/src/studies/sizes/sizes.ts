import { sizePoints } from '../../data/size-points.ts'
import type { Study, StudyContext, StudySubject } from '../../study/study.ts'
import { aggregate, type CellRecord } from './aggregate.ts'
import { cacheInfo } from './cache-info.ts'
import { check } from './check.ts'
import { type SizesConfig, sizesConfigSchema } from './config.ts'
import { leastHitMs } from './measure/measure-cache.ts'
import { leastCodecMs } from './measure/measure-codec.ts'
import { leastReadMs } from './measure/measure-latency.ts'
import { type Cell, cellLabel, cellName, plan } from './plan.ts'
import { pointInfos } from './point-infos.ts'
import { report } from './report/report.ts'
import { type SizesBody, sizesBodyShape } from './result.ts'

/**
 * Read, write and delete latency of stores over object sizes, reads through caches at hit rates, and the cost of
 * encryption and compression.
 */
export const sizes: Study<SizesConfig, Cell, CellRecord, SizesBody> = {
  name: 'sizes',
  config: sizesConfigSchema,
  takesCaches: true,
  formatVersion: 2,
  body: sizesBodyShape,
  report,
  points: sizePoints,
  check,
  plan: (subject) => plan({ ...namesOf(subject), config: subject.config, points: subject.points.length }),
  nameOf: cellName,
  leastMsOf,
  labelOf: cellLabel,
  runner: async (context) => {
    const { SizesRunner } = await import('./sizes-runner.ts')
    return new SizesRunner(context)
  },
  aggregate: bodyOf,
}

/** Reads, hits and codecs are repeated for so long at least. */
function leastMsOf({ kind }: Cell): number {
  if (kind === 'latency') return leastReadMs
  return kind === 'cache' ? leastReadMs + leastHitMs : 2 * leastCodecMs
}

function bodyOf(context: StudyContext<SizesConfig>, records: readonly CellRecord[]): SizesBody {
  const { config, caches, points } = context
  const axis = points.map(({ size }) => size)
  const series = aggregate({ ...namesOf(context), config, sizes: axis, records })
  return {
    caches: caches.map((cache) => cacheInfo(cache, context)),
    points: pointInfos(records, series),
    ...series,
  }
}

function namesOf({ stores, caches }: StudySubject<SizesConfig>): {
  readonly stores: readonly string[]
  readonly caches: readonly string[]
} {
  return { stores: stores.map(({ name }) => name), caches: caches.map(({ name }) => name) }
}
