import type { Target } from '../client/redis-url.ts'

/** Parts of a store that a tracker needs. */
export interface TrackingSource {
  /** Prefix of every key. */
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

/** Source of a store; `undefined` if `redis()` did not make it. */
export function sourceOf(store: object): TrackingSource | undefined {
  return sources.get(store)
}
