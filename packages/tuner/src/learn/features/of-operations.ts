import type { Operation } from '@unikv/monitor'
import { type WindowName, windowMs } from '@unikv/monitor/recorder'
import type { StoreWork, WorkFigures } from '../../observe/work.ts'
import type { Feature, Unit } from './feature.ts'

const operations = [
  'read',
  'set',
  'delete',
  'touch',
  'increment',
  'scan',
  'native',
] as const satisfies readonly Operation[]

const windowText = { '5s': '5 s', '30s': '30 s', '5min': '5 min' } as const

type Of = (its: WorkFigures, work: StoreWork) => number

/** Figures of each operation, in each window. */
const figures: readonly (readonly [name: string, unit: Unit, of: Of])[] = [
  ['rate', 'calls/s', ({ callsPerSecond }) => callsPerSecond],
  ['bytes', 'bytes/s', ({ callsPerSecond, bytesPerCall }) => callsPerSecond * bytesPerCall],
  ['mix', 'share', ({ callsPerSecond }, work) => callsPerSecond / totalOf(work)],
  ['errors', 'share', ({ errorShare }) => errorShare],
  ['p50', 'ms', ({ p50Ms }) => p50Ms],
  ['p99', 'ms', ({ p99Ms }) => p99Ms],
]

/** Calls a second of all operations; queries are among those of `native`. */
function totalOf(work: StoreWork): number {
  return operations.reduce((sum, name) => sum + (work[name]?.callsPerSecond ?? 0), 0)
}

function ofWindow(over: WindowName): readonly Feature[] {
  const ofOperations = operations.flatMap((operation) =>
    figures.map(([name, unit, of]): Feature => {
      return {
        name: `${name} of ${operation} over ${windowText[over]}`,
        unit,
        of: ({ work }) => {
          const its = work[over][operation]
          return its === undefined ? 0 : of(its, work[over])
        },
      }
    }),
  )
  const hitRate: Feature = {
    name: `hit rate of read over ${windowText[over]}`,
    unit: 'share',
    of: ({ work }) => work[over].read?.hitRate,
  }
  return [...ofOperations, hitRate]
}

/** The load of a store. */
export const ofOperations: readonly Feature[] = (Object.keys(windowMs) as WindowName[]).flatMap(ofWindow)
