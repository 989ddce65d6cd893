import { execFile } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { firstReply } from '../faults/first-reply.ts'
import { freePort } from '../process/free-port.ts'
import type { ServerRecipe } from '../server.ts'
import { redisNode, settings } from './redis.ts'

/** A node also listens on its port + 10,000, for the other nodes. */
const busOffset = 10_000
const joinTimeoutMs = 60_000

/**
 * A Redis Cluster of three masters without replicas. It has no container: nodes tell clients the
 * addresses they know of themselves, which a mapped port makes wrong.
 */
export const redisCluster: ServerRecipe = {
  kind: 'redis-cluster',
  environment: 'UNIKV_TEST_REDIS_CLUSTER_URL',
  binaries: ['redis-server', 'redis-cli'],
  debianPackages: ['redis-server'],
  async launch(scope) {
    const ports = new Set<number>()
    while (ports.size < 3) ports.add(await freePort([busOffset]))
    const args = settings({
      'cluster-enabled': 'yes',
      'cluster-config-file': 'nodes.conf',
      'cluster-node-timeout': 2_000,
    })
    const nodes = await Promise.all([...ports].map((port) => redisNode(scope, port, args)))
    const addresses = nodes.map((node) => new URL(node.url).host)
    const create = ['--cluster', 'create', ...addresses, '--cluster-replicas', '0', '--cluster-yes']
    await promisify(execFile)(scope.binary('redis-cli'), create)
    await Promise.all([...ports].map(joined))
    return nodes
  },
}

async function joined(port: number): Promise<void> {
  const giveUpAt = performance.now() + joinTimeoutMs
  while (!(await firstReply(port, 'CLUSTER INFO\r\n')).includes('cluster_state:ok')) {
    if (performance.now() > giveUpAt) throw new Error(`redis-cluster: node ${port} did not join`)
    await sleep(20)
  }
}
