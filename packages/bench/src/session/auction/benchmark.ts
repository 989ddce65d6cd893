import type { Benchmark } from '../model/benchmark.ts'
import { type Executions, interactions } from '../model/interaction.ts'
import type { AuctionCalls } from './calls.ts'
import { auctionModels } from './models.ts'
import {
  type AuctionParameters,
  auctionParameters,
  auctionUsers,
  checkAuctionParameters,
} from './parameters.ts'
import { type AuctionState, auctionPlans } from './plans.ts'

/** The benchmark Auction over a data access: users sell, bid and buy, in 15 interactions. */
export function auction<Db>(executions: Executions<Db, AuctionCalls>): Benchmark<Db, AuctionState> {
  return {
    name: 'auction',
    interactions: interactions(auctionPlans, executions),
    parameters: auctionParameters,
    models: auctionModels,
    users: auctionUsers,
    check: checkAuctionParameters,
    begin: (values) => ({
      values: values as unknown as AuctionParameters,
      auction: undefined,
      sale: undefined,
    }),
  }
}
