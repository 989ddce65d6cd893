import type { Target } from '../client/redis-url.ts'

/** What a tracker has to know of a store. */
export interface TrackingSource {
  /** What stands before every key. */
  readonly prefix: string
  readonly isCluster: boolean
  /** Where it is; `undefined`: a client was handed in. */
  readonly target: Target | undefined
  readonly driver: 'ioredis' | 'node-redis'
}

const sources = new WeakMap<object, TrackingSource>()

/** Note of a store what its tracker will ask for. */
export function noteSource(store: object, source: TrackingSource): void {
  sources.set(store, source)
}

/** What was noted of a store; `undefined`: `redis()` did not make it. */
export function sourceOf(store: object): TrackingSource | undefined {
  return sources.get(store)
}
