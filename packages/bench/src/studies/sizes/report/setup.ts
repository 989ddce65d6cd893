import { formatSize } from '../../../data/size-list.ts'
import { serverText } from '../../../report/setup.ts'
import type { SetupLine } from '../../../study/study-report.ts'
import type { CacheInfo, SizesResult } from '../result.ts'
import { describeCache } from './describe-cache.ts'

/** The setup of the result, besides stores, data and machine. */
export function setup(result: SizesResult): readonly SetupLine[] {
  const { config, caches } = result
  return [
    ...caches.map((cache): SetupLine => [`cache ${cache.name}`, cacheText(cache)]),
    ['objects a run', objectsText(result)],
    ['runs', `${config.runs} of each point after a warm-up${parallelText(config.parallel)}`],
  ]
}

function cacheText(cache: CacheInfo): string {
  return cache.url === null ? describeCache(cache) : `${cache.url}; ${serverText(cache.server)}`
}

/** Objects that were written, which are fewer than planned where phases ended early. */
function objectsText({ points, latency }: SizesResult): string {
  return points
    .map(({ size, operations, gzipRatio }) => {
      const counts = latency.flatMap((one) => one.points.filter((point) => point.size === size))
      const most = Math.max(operations, ...counts.map(({ objects }) => objects))
      const count =
        most === operations ? `${most}` : `${operations} to ${most} (phases that took too long ended early)`
      return `${formatSize(size)} ${count} (gzip ${gzipRatio.toFixed(1)} ×)`
    })
    .join(', ')
}

function parallelText(inFlight: number): string {
  return inFlight === 1 ? '; no parallel series' : `; ${inFlight} calls in flight in the parallel series`
}
