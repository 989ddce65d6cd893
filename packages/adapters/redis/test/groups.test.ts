import { groupNetwork, groupTransactions, type OpenedGroupStore } from '@unikv/conformance'
import { faultProxy } from '@unikv/test-kit'
import { describeWith } from '@unikv/test-kit/vitest'
import { Cluster, Redis } from 'ioredis'
import { afterAll, describe, test } from 'vitest'
import { type RedisOptions, redis } from '../src/index.ts'
import { freshDataset } from './fresh.ts'

describeWith('redis', (url) => {
  const client = new Redis(url)
  const datasets: string[] = []
  afterAll(async () => {
    for (const dataset of datasets) {
      const keys = await client.keys(`${dataset}.g:*`)
      if (keys.length > 0) await client.unlink(keys)
    }
    await client.quit()
  })

  interface Opened extends OpenedGroupStore {
    readonly options: RedisOptions
  }

  function over(options: RedisOptions): Opened {
    const store = redis(options)
    if (store.groups === undefined) throw new Error('The store has no groups.')
    return { groups: store.groups, close: () => store.close(), options }
  }

  function fresh(options: RedisOptions): Opened {
    const dataset = freshDataset()
    datasets.push(dataset)
    return over({ ...options, dataset })
  }

  const reopen = (opened: OpenedGroupStore): Opened => over((opened as Opened).options)

  describe('by ioredis', () => groupTransactions({ test, describe, open: () => fresh({ url }), reopen }))

  describe('by node-redis', () =>
    groupTransactions({
      test,
      describe,
      topics: /^(reads|ranges|commits|ends)/,
      open: () => fresh({ url, driver: 'node-redis' }),
      reopen,
    }))

  describe('behind a network', () => {
    const direct = (opened: OpenedGroupStore): Opened => over({ ...(opened as Opened).options, url })
    const open = (behind: string): Opened => fresh({ url: behind })
    groupNetwork({ test, describe, proxy: () => faultProxy(url), open, direct })
  })
})

describeWith('redis-cluster', (url, urls) => {
  const open = (dataset: string): OpenedGroupStore & { readonly dataset: string } => {
    const store = redis({ cluster: urls as readonly 'redis://h'[], dataset })
    if (store.groups === undefined) throw new Error('The store has no groups.')
    return { groups: store.groups, close: () => store.close(), dataset }
  }
  const client = new Cluster([url])
  const datasets: string[] = []
  afterAll(async () => {
    for (const node of client.nodes('master'))
      for (const dataset of datasets)
        for (const key of await node.keys(`${dataset}.g:*`)) await node.unlink(key)
    await client.quit()
  })
  const fresh = () => {
    const dataset = freshDataset()
    datasets.push(dataset)
    return open(dataset)
  }
  const reopen = (opened: OpenedGroupStore) => open((opened as ReturnType<typeof open>).dataset)
  // A group is on one node, and their names are on all.
  groupTransactions({ test, describe, topics: /^(reads|hostile|commits|names)/, open: fresh, reopen })
})
