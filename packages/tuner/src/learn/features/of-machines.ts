import type { ProcessLoad } from '@unikv/monitor/recorder'
import type { Feature, Unit } from './feature.ts'

/** Processes whose load is told apart. */
const mostProcesses = 5

const loads: readonly (readonly [name: string, unit: Unit, of: (load: ProcessLoad) => number])[] = [
  ['processor', 'share', ({ cpuShare }) => cpuShare],
  ['event loop', 'share', ({ loopShare }) => loopShare],
  ['delay of the event loop', 'ms', ({ loopDelayMs }) => loopDelayMs],
  ['memory', 'share', ({ memoryShare }) => memoryShare],
  ['heap', 'share', ({ heapShare }) => heapShare],
]

/** The load of the application's processes. */
export const ofProcesses: readonly Feature[] = Array.from({ length: mostProcesses }, (_, i) =>
  loads.map(([name, unit, of]): Feature => {
    const place = i === 0 ? 'the busiest process' : `process ${i + 1} by load`
    return {
      name: `${name} of ${place}`,
      unit,
      of: ({ loads: all }) => {
        const load = all[i]
        return load === undefined ? 0 : of(load)
      },
    }
  }),
).flat()

/** The server of a store. */
export const ofServer: readonly Feature[] = [
  { name: 'the server tells of itself', unit: 'yes', of: ({ server }) => Number(server !== undefined) },
  { name: 'connections in use', unit: 'share', of: ({ server }) => server?.connections },
  { name: 'connections of the server', unit: 'count', of: ({ server }) => server?.openConnections },
  { name: 'memory of the server in use', unit: 'share', of: ({ server }) => server?.memory },
  { name: 'storage in use', unit: 'share', of: ({ server }) => server?.storage },
  { name: 'disk in use', unit: 'share', of: ({ server }) => server?.disk },
  { name: 'hit rate of the server', unit: 'share', of: ({ server }) => server?.hitRate },
  {
    name: 'the server tells its hit rate',
    unit: 'yes',
    of: ({ server }) => Number(server?.hitRate !== undefined),
  },
  { name: 'evictions of the server', unit: 'calls/s', of: ({ server }) => server?.evictionsPerSecond },
  { name: 'operations of the server', unit: 'calls/s', of: ({ server }) => server?.operationsPerSecond },
  { name: 'stored data', unit: 'bytes', of: ({ server }) => server?.storedBytes },
  { name: 'growth of stored data', unit: 'bytes/h', of: ({ server }) => server?.growthBytesPerHour },
  { name: 'records', unit: 'records', of: ({ server }) => server?.records },
]

/** The users of the store. */
export const ofUsers: readonly Feature[] = [
  { name: 'processes of the application', unit: 'count', of: ({ processes }) => processes },
]
