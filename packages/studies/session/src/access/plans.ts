import type { ModelContext, Transitions } from '@unikv/session'
import { auction, auctionByEntities, auctionModels } from '@unikv/session/auction'
import { micro, microByEntities, microModels } from '@unikv/session/micro'

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
