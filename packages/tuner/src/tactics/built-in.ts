import type { Tactic } from '../tactic.ts'
import { addIndex, dropIndex } from './index-tactics.ts'
import { cachePolicy } from './settings/cache-policy.ts'
import { addCache, growCache, removeCache } from './settings/caches.ts'
import { compress } from './settings/compression.ts'
import { fewerConnections, moreConnections } from './settings/connections.ts'
import { hedgeReads, limitCalls } from './settings/resilience.ts'

/** The tactics that unikv has. Those that need something of the owner are made by `tierIn`, `readsAt` and `hookTactic`. */
export const builtIn: readonly Tactic[] = [
  addIndex,
  dropIndex,
  addCache,
  growCache,
  cachePolicy,
  removeCache,
  compress,
  moreConnections,
  fewerConnections,
  hedgeReads,
  limitCalls,
]
