import type { CacheInfo, SizesResult } from '../sizes/result.ts'
import { formatSize } from '../sizes/size-list.ts'
import { describeCache } from './describe-cache.ts'
import { durabilityWords } from './durability-words.ts'

/** What a result depends on: servers and their settings, data, machine, versions, and how to repeat it. */
export function setupLines(result: SizesResult): readonly (readonly [name: string, value: string])[] {
  const { config, environment: machine, versions, data, stores, caches, runId, command } = result
  return [
    ...stores.map(({ name, url, durability, server }): [string, string] => [
      `store ${name}`,
      `${url}; ${serverText(server)}; writes are ${durabilityWords[durability] ?? durability}`,
    ]),
    ...caches.map((cache): [string, string] => [`cache ${cache.name}`, cacheText(cache)]),
    ['data', `${data.description}; seed ${config.seed}`],
    ['objects a run', objectsText(result)],
    ['runs', `${config.runs} of each point after a warm-up${parallelText(config.parallel)}`],
    [
      'machine',
      `${machine.cpu}, ${machine.cores} cores, ${memoryText(machine.memoryBytes)} memory, ${machine.platform} ${machine.release} ${machine.architecture}, Node.js ${machine.node}`,
    ],
    ['versions', pairs(versions)],
    ['run', runId],
    ...(command === null ? [] : [['repeat', command] as [string, string]]),
  ]
}

function cacheText(cache: CacheInfo): string {
  return cache.url === null ? describeCache(cache) : `${cache.url}; ${serverText(cache.server)}`
}

/** Servers that do not tell their version are not given one. */
function serverText(server: Readonly<Record<string, string>>): string {
  return pairs(server) || 'version and settings not told'
}

function pairs(values: Readonly<Record<string, string>>): string {
  return Object.entries(values)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ')
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

/** Machines have powers of two, and the kernel takes a part: 23.5 GiB. */
function memoryText(bytes: number): string {
  return `${Number((bytes / 2 ** 30).toPrecision(3))} GiB`
}
