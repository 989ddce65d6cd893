import { StoreError } from '@unikv/core'
import { nearest } from '@unikv/core/adapter'
import type { ServerKind, ServerRecipe } from './server.ts'
import { cassandra } from './servers/cassandra.ts'
import { cassandraCluster } from './servers/cassandra-cluster.ts'
import { couchdb } from './servers/couchdb.ts'
import { dynamodbLocal } from './servers/dynamodb-local.ts'
import { hbase } from './servers/hbase.ts'
import { mariadb } from './servers/mariadb.ts'
import { memcached } from './servers/memcached.ts'
import { mongodb } from './servers/mongodb.ts'
import { postgres } from './servers/postgres.ts'
import { redis } from './servers/redis.ts'
import { redisCluster } from './servers/redis-cluster.ts'
import { seaweedfs } from './servers/seaweedfs.ts'
import { swift } from './servers/swift.ts'

/** Every server that tests can ask for. */
export const recipes: Readonly<Record<ServerKind, ServerRecipe>> = {
  redis,
  'redis-cluster': redisCluster,
  mariadb,
  postgres,
  memcached,
  swift,
  couchdb,
  cassandra,
  'cassandra-cluster': cassandraCluster,
  s3: seaweedfs,
  dynamodb: dynamodbLocal,
  mongodb,
  hbase,
}

/** Every kind of server that there is. */
export const serverKinds: readonly ServerKind[] = Object.keys(recipes) as ServerKind[]

/**
 * The recipe of a kind.
 *
 * @throws {StoreError} `INVALID_ARGUMENT` for a kind that there is not, with those that there are
 */
export function recipeOf(kind: ServerKind): ServerRecipe {
  if (Object.hasOwn(recipes, kind)) return recipes[kind]
  const close = nearest(String(kind), serverKinds)
  const hint = close === undefined ? '' : ` Did you mean '${close}'?`
  throw new StoreError(
    'INVALID_ARGUMENT',
    `There is no test server '${String(kind)}'; the kinds are ${serverKinds.join(', ')}.${hint}`,
  )
}
