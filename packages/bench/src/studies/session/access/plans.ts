import { auction } from '../../../session/auction/benchmark.ts'
import { auctionByEntities } from '../../../session/auction/by-entities.ts'
import { auctionModels } from '../../../session/auction/models.ts'
import { micro } from '../../../session/micro/benchmark.ts'
import { microByEntities } from '../../../session/micro/by-entities.ts'
import { microModels } from '../../../session/micro/models.ts'
import type { ModelContext } from '../../../session/model/session-model.ts'
import type { Transitions } from '../../../session/model/transitions.ts'

/** A benchmark, as far as documents name its parts. */
export interface BenchmarkNames {
  readonly models: Readonly<Record<string, Transitions>>
  readonly interactions: readonly string[]
}

const contexts = { auction: auction(auctionByEntities()), micro: micro(microByEntities) }

/** The benchmarks that there are. */
export const plans: Readonly<Record<'auction' | 'micro', BenchmarkNames>> = {
  auction: { models: auctionModels, interactions: Object.keys(contexts.auction.interactions) },
  micro: { models: microModels, interactions: Object.keys(contexts.micro.interactions) },
}

/** The part of a benchmark that models are checked against. */
export function modelContext(benchmark: 'auction' | 'micro'): ModelContext {
  return contexts[benchmark]
}
