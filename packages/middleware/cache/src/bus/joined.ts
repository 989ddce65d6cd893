import type { Flights } from '../loads/flights.ts'
import type { ObjectCacheSettings } from '../object-cache-options.ts'
import type { CachedEntry } from '../values/cached-entry.ts'
import { BusLink } from './bus-link.ts'

/** Parts of a cache that messages of a bus are about. */
export interface Told {
  readonly kept: (key: string) => CachedEntry | undefined
  readonly flights: Flights
  /** Nothing counts that has one of these tags. */
  readonly void: (tags: readonly string[]) => void
}

/** The part that a cache takes in its bus, if it has one. */
export function joined(
  { bus, maxStaleMs, monotonicClock }: ObjectCacheSettings,
  { kept, flights, void: voided }: Told,
): BusLink | undefined {
  if (bus === undefined) return undefined
  return new BusLink(bus, maxStaleMs, monotonicClock, {
    forget: ({ key, version }) => {
      const isUnderWay = flights.isLoading(key) || flights.isWriting(key)
      if (version === undefined || kept(key)?.entry?.version !== version || isUnderWay) flights.overtake(key)
    },
    void: voided,
    overtakeAll: () => flights.overtakeAll(),
  })
}
