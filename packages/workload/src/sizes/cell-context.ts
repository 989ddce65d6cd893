import type { SizePoint } from '../data/data-source.ts'
import type { RunNamespace } from '../run/run-namespace.ts'
import type { CacheTarget, StoreTarget } from '../run/target.ts'
import type { SizesConfig } from './config.ts'

/** What all cells of a run share. */
export interface CellContext {
  readonly config: SizesConfig
  readonly stores: readonly StoreTarget[]
  readonly caches: readonly CacheTarget[]
  readonly points: readonly SizePoint[]
  readonly runId: string
  readonly namespaces: ReadonlyMap<StoreTarget, RunNamespace>
  readonly signal: AbortSignal
}
