import type { StudySubject } from '../../study/study.ts'
import type { ConsistencyConfig } from './config.ts'
import { readersOf } from './connections.ts'
import type { ConsistencyRecord } from './consistency-runner.ts'
import { pairText } from './levels.ts'
import { pairsOf } from './plan.ts'
import { costsOf, ratesOf } from './rates.ts'
import type { ConsistencyBody } from './result.ts'
import { staleResults } from './stale-results.ts'

/** The fields of a result, out of the finished cells. */
export function aggregate(
  { config, stores }: StudySubject<ConsistencyConfig>,
  records: readonly ConsistencyRecord[],
): ConsistencyBody {
  const rates = ratesOf(config, stores, records)
  const commands = new Map(
    records.flatMap(({ command }) => (command === undefined ? [] : [[command.kind, command]])),
  )
  return {
    levels: stores.map((target) => ({
      store: target.name,
      declared: target.store.capabilities.consistency,
      meanings: target.levels ?? {},
      pairs: pairsOf(config, target).map(pairText),
      readers: readersOf(target),
    })),
    rates,
    costs: costsOf(rates),
    stale: staleResults(config, stores, records),
    commands: [...commands.values()],
  }
}
