import type { Driver } from './client/redis-client.ts'
import type { Format } from './format.ts'
import type { RedisSettings } from './options.ts'

/** How the servers of one dataset are spoken to. */
export interface Dataset {
  /** Prefix of every key. */
  readonly prefix: string
  readonly format: Format
  /** One command may name several keys: not in a cluster, where they lie in different slots. */
  readonly manyKeys: boolean
  /** Once it is loaded. */
  readonly driver: Driver | undefined
  /** Replicas that must acknowledge a write, where its call asks for that. */
  readonly replicas?: RedisSettings['replicas']
}
