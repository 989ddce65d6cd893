import { setTimeout as pause } from 'node:timers/promises'
import { type NetworkFault, type NetworkProxy, networkFaults } from '@unikv/conformance'
import type { Bytes, Store } from '@unikv/core'
import { type FaultProxy, faultProxy, ownServer } from '@unikv/test-kit'
import { describeWithOwn, networkRun } from '@unikv/test-kit/vitest'
import { Cluster, Redis } from 'ioredis'
import { afterAll } from 'vitest'
import { redis } from '../src/index.ts'
import { freshDataset } from './fresh.ts'

describeWithOwn('redis-cluster', async () => {
  const server = await ownServer('redis-cluster')
  const proxies = await Promise.all(server.urls.map((url) => faultProxy(url)))
  await announce(server.urls, proxies)
  const dataset = freshDataset()
  const past = new Map(
    proxies.map(({ port }, i) => [`127.0.0.1:${port}`, new URL(server.urls[i] as string)] as const),
  )
  const admin = new Cluster([...server.urls], {
    retryDelayOnFailover: 0,
    retryDelayOnClusterDown: 0,
    redisOptions: { autoResendUnfulfilledCommands: false },
    natMap: Object.fromEntries(
      [...past].map(([behind, { hostname, port }]) => [behind, { host: hostname, port: Number(port) }]),
    ),
  })
  admin.on('error', () => {})
  // All of its connections are there before the first test counts what is open.
  for (const key of Array.from({ length: 50 }, (_, i) => `warm ${i}`)) await admin.get(key)
  afterAll(async () => {
    admin.disconnect()
    for (const proxy of proxies) await proxy.close()
    await server.stop()
  })
  await networkFaults({
    ...networkRun(server.url),
    proxy: async () => together(proxies),
    open: () => redis({ cluster: proxies.map(({ url }) => url), dataset }) as Store<Bytes>,
    direct: () => redis({ client: admin, dataset }) as Store<Bytes>,
  })
})

/** Have the nodes name their proxies as their addresses, to clients and to each other's clients. */
async function announce(urls: readonly string[], proxies: readonly FaultProxy[]): Promise<void> {
  const nodes = urls.map((url) => new Redis(url))
  for (const [i, node] of nodes.entries()) {
    const bus = Number(new URL(urls[i] as string).port) + 10_000
    await node.config('SET', 'cluster-announce-bus-port', bus)
    await node.config('SET', 'cluster-announce-port', (proxies[i] as FaultProxy).port)
  }
  const wanted = proxies.map(({ port }) => port).toSorted((a, b) => a - b)
  for (const node of nodes) {
    const known = async (): Promise<readonly number[]> =>
      (await node.cluster('SLOTS')).map(([, , node]) => node?.[1] ?? 0).toSorted((a, b) => a - b)
    while (String(await known()) !== String(wanted)) await pause(50)
    node.disconnect()
  }
}

/** The proxies of all nodes as one. */
function together(proxies: readonly FaultProxy[]): NetworkProxy {
  const pass = (): void => proxies.forEach((proxy) => proxy.pass())
  return {
    url: (proxies[0] as FaultProxy).url,
    get connections() {
      return proxies.reduce((all, { connections }) => all + connections, 0)
    },
    inject: (fault: NetworkFault) => ({
      struck: Promise.race(proxies.map((proxy) => proxy.inject(fault).struck)),
    }),
    pass,
    close: async () => {
      for (const proxy of proxies) proxy.inject({ kind: 'reset' })
      pass()
    },
  }
}
