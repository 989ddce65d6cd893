import { compression } from '@unikv/compression'
import type { Row } from '../../cube/row.ts'
import { type SizePoint, sizePoints } from '../../data/data-source.ts'
import { formatSize, maxObjectBytes } from '../../data/size-list.ts'
import type { Given } from '../../options/option.ts'
import type { CacheTarget, StoreTarget } from '../../run/target.ts'
import { wrong } from '../../study/faults.ts'
import type { Configured, Study, StudyContext, StudySubject } from '../../study/study.ts'
import {
  type CacheInfo,
  type PointInfo,
  type SizesBody,
  type SizesConfig,
  sizesBodyShape,
  sizesConfigSchema,
} from './config.ts'
import { iyengar } from './iyengar/preset.ts'
import { leastHitMs } from './measure/measure-cache.ts'
import { leastCodecMs } from './measure/measure-codec.ts'
import { leastReadMs } from './measure/measure-latency.ts'
import { type Cell, cellLabel, cellName, plan } from './plan.ts'
import { report } from './report/report.ts'
import { type CellRecord, objectsAt, rowsOf } from './rows.ts'

/**
 * Read, write and delete latency of stores over object sizes, reads through caches at hit rates, and the cost of
 * encryption and compression.
 */
export const sizes: Study<SizesConfig, Cell, CellRecord, SizesBody> = {
  name: 'sizes',
  examples: [
    '--store file:./data --store redis://127.0.0.1',
    '--preset iyengar --store mysql://127.0.0.1/test --store far=redis://127.0.0.1 --delay far=30ms',
  ],
  config: sizesConfigSchema,
  takesCaches: true,
  formatVersion: 3,
  body: sizesBodyShape,
  report,
  presets: new Map([['iyengar', iyengar]]),
  configure,
  points: sizePoints,
  check,
  plan,
  nameOf: cellName,
  leastMsOf,
  labelOf: cellLabel,
  runner: async (context) => new (await import('./sizes-runner.ts')).SizesRunner(context),
  aggregate: bodyOf,
}

async function configure(given: Given<typeof sizesConfigSchema>): Promise<Configured> {
  const preset = given.preset === 'iyengar' ? iyengar.config : {}
  return { config: { ...preset, ...given }, warnings: [] }
}

/** Reads, hits and codecs are repeated for so long at least. */
function leastMsOf({ kind }: Cell): number {
  if (kind === 'latency') return leastReadMs
  return kind === 'cache' ? leastReadMs + leastHitMs : 2 * leastCodecMs
}

function bodyOf(context: StudyContext<SizesConfig>, records: readonly CellRecord[]): SizesBody {
  const rows = rowsOf(context, records)
  const met = new Map(records.map(({ cell, point }) => [cell.point, point]))
  return {
    caches: context.caches.map((cache) => cacheInfo(cache, context)),
    points: [...met].sort(([a], [b]) => a - b).map(([, point]) => asItHappened(point, rows)),
    rows,
  }
}

/** A point where phases that ended early wrote fewer objects than planned. */
function asItHappened(point: PointInfo, rows: readonly Row[]): PointInfo {
  const written = objectsAt(rows, point.size, 'write')
  return { ...point, operations: Math.min(point.operations, ...written) }
}

/** The description of a cache in a result. */
function cacheInfo(cache: CacheTarget, { serverOf }: Pick<StudyContext<unknown>, 'serverOf'>): CacheInfo {
  const { name, kind } = cache
  return cache.kind === 'in-process'
    ? { name, kind, share: cache.share, url: null, server: {} }
    : { name, kind, share: null, url: cache.url, server: serverOf(cache) }
}

/**
 * Refuse, before anything is sent, what could only fail later.
 *
 * @throws {StoreError} `INVALID_CONFIG`, `INVALID_ARGUMENT` or `UNSUPPORTED`, with one sentence that names the culprit
 */
function check({ config, stores, caches, points }: StudySubject<SizesConfig>): void {
  const remote = caches.filter((cache) => cache.kind === 'remote')
  for (const target of [...stores, ...remote]) checkSizes(target, points)
  // refuses an algorithm whose package is missing, and says how to install it
  for (const algorithm of config.compression) compression({ algorithm })
}

function checkSizes({ name, store }: StoreTarget, points: readonly SizePoint[]): void {
  const limit = Math.min(store.capabilities.maxValueBytes, maxObjectBytes)
  const largest = Math.max(...points.map(({ range }) => range[1]))
  if (largest <= limit) return
  throw wrong(
    `Objects of ${formatSize(largest)} are too large for ${name}, which allows ${formatSize(limit)}.`,
  )
}
