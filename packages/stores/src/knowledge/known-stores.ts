import type { KnownStore } from './known-store.ts'
import { cassandra } from './stores/cassandra.ts'
import { mongodb } from './stores/mongodb.ts'
import { mysql } from './stores/mysql.ts'
import { postgres } from './stores/postgres.ts'
import { redis } from './stores/redis.ts'

/** The facts about each store that unikv opens. */
export const knownStores: readonly KnownStore[] = [redis, mysql, postgres, mongodb, cassandra]
