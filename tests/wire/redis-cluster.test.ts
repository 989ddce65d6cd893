import { redis } from '@unikv/redis'
import { type FaultProxy, faultProxy } from '@unikv/test-kit'
import { describeWith, networkRun } from '@unikv/test-kit/vitest'
import { Cluster } from 'ioredis'
import { testCacheHits } from './cache-hits.ts'
import type { Counted } from './exchange.ts'
import { testLeases } from './leases.ts'
import { someBytes, testRevalidation } from './revalidation.ts'

describeWith('redis-cluster', (url, urls) => {
  /** Clients behind the proxies of all nodes, by what stands for their address. */
  const clients = new Map<string, Cluster>()

  /** A proxy before each node, counted as one. */
  async function proxy(): Promise<Counted> {
    const proxies = await Promise.all(urls.map((node) => faultProxy(node)))
    const [first] = proxies as [FaultProxy]
    const client = clusterBehind(urls, proxies)
    clients.set(first.url, client)
    return {
      url: first.url,
      get traffic() {
        return proxies.map(({ traffic }) => traffic).reduce(sum)
      },
      async [Symbol.asyncDispose]() {
        client.disconnect()
        for (const one of proxies) await one.close()
      },
    }
  }

  const setting = {
    ...networkRun(url),
    store: 'Redis Cluster (ioredis)',
    proxy,
    open(to: string) {
      const client = clients.get(to)
      return redis(client ? { client, dataset: 'wire' } : { cluster: urls, dataset: 'wire' })
    },
  }
  testRevalidation({ ...setting, url, value: someBytes })
  testCacheHits(setting)
  testLeases({ ...setting, url })
})

/** A client that finds a proxy where the cluster names a node. */
function clusterBehind(urls: readonly string[], proxies: readonly FaultProxy[]): Cluster {
  const behind = urls.map((url, i) => {
    const { port } = proxies[i] as FaultProxy
    return [new URL(url).host, { host: '127.0.0.1', port }] as const
  })
  return new Cluster(
    proxies.map(({ url }) => url),
    {
      natMap: Object.fromEntries(behind),
      retryDelayOnFailover: 0,
      retryDelayOnClusterDown: 0,
      redisOptions: { autoResendUnfulfilledCommands: false },
    },
  )
}

type Traffic = Counted['traffic']

function sum(a: Traffic, b: Traffic): Traffic {
  return {
    requestBytes: a.requestBytes + b.requestBytes,
    responseBytes: a.responseBytes + b.responseBytes,
    roundTrips: a.roundTrips + b.roundTrips,
  }
}
