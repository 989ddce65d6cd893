import { type Workload, workloadSchema } from '../../operations/workload.ts'
import type { BenchCell } from '../../run/progress.ts'
import type { StoreTarget } from '../../run/target.ts'
import type { StudySubject } from '../../study/study.ts'
import type { ConsistencyConfig } from './config.ts'
import { declaredPairs, type LevelPair } from './levels.ts'

/** `calm`, or `disturbed` by the command for that. */
export type Condition = 'calm' | 'disturbed'

/** One measurement of a pair of levels in a store, or the loading of its records. */
export interface ConsistencyCell extends BenchCell {
  readonly store: string
  readonly condition: Condition
  readonly pair: LevelPair
  readonly work:
    | { readonly kind: 'load' }
    | { readonly kind: 'throughput'; readonly callers: number }
    | { readonly kind: 'stale' }
}

/** The pairs of levels that are measured in a store. */
export function pairsOf(
  { levels }: Pick<ConsistencyConfig, 'levels'>,
  { store }: Pick<StoreTarget, 'store'>,
): readonly LevelPair[] {
  return levels ?? declaredPairs(store)
}

/** Loads first. Each run then goes through conditions, stores and work; pairs take turns to be first. */
export function plan({ config, stores }: StudySubject<ConsistencyConfig>): readonly ConsistencyCell[] {
  const loads = stores.map((target): ConsistencyCell => {
    const [pair] = pairsOf(config, target) as readonly [LevelPair]
    return { run: 0, point: 0, store: target.name, condition: 'calm', pair, work: { kind: 'load' } }
  })
  const runs = Array.from({ length: config.runs }, (_, index) => index + 1)
  return [...loads, ...runs.flatMap((run) => cellsOf(config, stores, run))]
}

function cellsOf(
  config: ConsistencyConfig,
  stores: readonly StoreTarget[],
  run: number,
): readonly ConsistencyCell[] {
  return conditionsOf(config).flatMap((condition) =>
    stores.flatMap((target) => {
      const pairs = turned(pairsOf(config, target), run)
      const { name: store } = target
      return worksOf(config).flatMap((work, point) =>
        pairs.map((pair): ConsistencyCell => ({ run, point, store, condition, pair, work })),
      )
    }),
  )
}

/** The conditions in which all is measured. */
export function conditionsOf({ disturbance }: Pick<ConsistencyConfig, 'disturbance'>): readonly Condition[] {
  return disturbance === null ? ['calm'] : ['calm', 'disturbed']
}

function worksOf({ parts, callers }: ConsistencyConfig): readonly ConsistencyCell['work'][] {
  return [
    ...(parts.includes('throughput')
      ? callers.map((one) => ({ kind: 'throughput', callers: one }) as const)
      : []),
    ...(parts.includes('stale') ? [{ kind: 'stale' } as const] : []),
  ]
}

function turned<T>(list: readonly T[], by: number): readonly T[] {
  return list.map((_, index) => list[(index + by) % list.length] as T)
}

/** Reads and updates of records that all keys are alike likely to be in. */
export function workloadOf({
  records,
  valueSize,
  readShare,
}: Pick<ConsistencyConfig, 'records' | 'valueSize' | 'readShare'>): Workload {
  return workloadSchema.parse({
    name: 'reads and updates',
    records,
    mix: { read: readShare, update: 100 - readShare },
    keys: { kind: 'uniform' },
    values: { kind: 'constant', length: valueSize },
  })
}
