import { firstReply } from '../faults/first-reply.ts'
import { freePort } from '../process/free-port.ts'
import type { LaunchedNode, LaunchScope, ServerRecipe } from '../server.ts'

/** One Redis server without persistence. */
export const redis: ServerRecipe = {
  kind: 'redis',
  environment: 'UNIKV_TEST_REDIS_URL',
  binaries: ['redis-server'],
  debianPackages: ['redis-server'],
  container: { image: 'redis:7.4', port: 6379, url: (host, port) => `redis://${host}:${port}` },
  launch: async (scope) => [await redisNode(scope, await freePort(), [])],
}

/** Starts one node on this port of 127.0.0.1. */
export async function redisNode(
  scope: LaunchScope,
  port: number,
  args: readonly string[],
): Promise<LaunchedNode> {
  const dir = await scope.directory()
  const process = await scope.run({
    command: scope.binary('redis-server'),
    args: [...settings({ port, bind: '127.0.0.1', dir, save: '', appendonly: 'no' }), ...args, ...scope.args],
    dir,
    ready: async () => (await firstReply(port, 'PING\r\n')).toString().startsWith('+PONG'),
  })
  return { url: `redis://127.0.0.1:${port}`, process }
}

/** Redis takes its whole configuration as arguments. */
export function settings(values: Readonly<Record<string, string | number>>): readonly string[] {
  return Object.entries(values).flatMap(([name, value]) => [`--${name}`, `${value}`])
}
