import type { Feature } from './features/feature.ts'
import { ofProcesses, ofServer, ofUsers } from './features/of-machines.ts'
import { ofOperations } from './features/of-operations.ts'
import { ofConfiguration, ofPromises, ofQueries } from './features/of-state.ts'
import { seenOf } from './features/seen.ts'
import type { Subject } from './features/subject.ts'

/**
 * The numbers of a store, in the order of their vector: its load in three windows, the processes of the application (five of
 * them one by one), the server, promises, the configuration as it is and as it is meant to be, and its busiest queries. Figures that are
 * not known are 0.
 */
export const features: readonly Feature[] = [
  ...ofOperations,
  ...ofProcesses,
  ...ofServer,
  ...ofPromises,
  ...ofConfiguration,
  ...ofUsers,
  ...ofQueries,
]

/** The vector of a store at one time. */
export function vectorOf(subject: Subject): Float64Array {
  const seen = seenOf(subject)
  return Float64Array.from(features, ({ of }) => {
    const value = of(seen)
    return value === undefined || !Number.isFinite(value) ? 0 : value
  })
}
