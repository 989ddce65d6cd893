export { auction, auctionModels } from './session/auction/benchmark.ts'
export { auctionByEntities } from './session/auction/by-entities.ts'
export { auctionBySql, auctionTables } from './session/auction/by-sql.ts'
export { auctionTypes } from './session/auction/entities.ts'
export { auctionPopulation, auctionSqlPopulation } from './session/auction/population.ts'
export { micro, microModels } from './session/micro/benchmark.ts'
export { microByEntities, microTypes } from './session/micro/by-entities.ts'
export { microPopulation } from './session/micro/population.ts'
export {
  type Answer,
  type Benchmark,
  type Executions,
  interactions,
  type Plans,
} from './session/model/benchmark.ts'
export { type SessionModel } from './session/model/session-model.ts'
export { populate } from './session/run/populate.ts'
export { runSessions } from './session/run/run-sessions.ts'
export { sessionWorkload } from './session/run/session-workload.ts'
export { postgresDb } from './session/sql/postgres.ts'
export { sqlDbOf } from './session/sql/sql-db-of.ts'
