import type { ServerKind, ServerRecipe } from './server.ts'
import { mariadb } from './servers/mariadb.ts'
import { redis } from './servers/redis.ts'
import { redisCluster } from './servers/redis-cluster.ts'

/** Every server that tests can ask for. */
export const recipes: Readonly<Record<ServerKind, ServerRecipe>> = {
  redis,
  'redis-cluster': redisCluster,
  mariadb,
}

/** Every kind of server that there is. */
export const serverKinds: readonly ServerKind[] = Object.keys(recipes) as ServerKind[]
