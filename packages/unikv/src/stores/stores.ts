import { fileFacts, lmdbFacts, memoryFacts } from './embedded.ts'
import { mysqlFacts } from './mysql.ts'
import { postgresFacts } from './postgres.ts'
import { redisFacts } from './redis.ts'
import type { StoreFacts } from './store-facts.ts'

/** What unikv knows of every store that it opens. */
export const stores: readonly StoreFacts[] = [
  memoryFacts,
  fileFacts,
  lmdbFacts,
  redisFacts,
  mysqlFacts,
  postgresFacts,
]

/** Stores that people ask for and that have no adapter, with the reason. */
export const outOfScope: Readonly<Record<string, string>> = {
  Riak: 'out of scope for now: no maintained client for Node.js',
  Elasticsearch: 'out of scope for now: a search engine, whose writes are not read back at once',
}
