import { keyValue } from '@unikv/core'
import { afterEach } from 'vitest'
import { type FaultProxy, faultProxy } from '../faults/fault-proxy.ts'
import type { OpenSql, SqlBench, SqlKeyValue, SqlOptions, SqlStore } from './bench.ts'

/** A store whose connections break as the test wants, and another one that has nothing to do with the proxy. */
export interface Proxied {
  readonly proxy: FaultProxy
  readonly store: SqlStore
  readonly table: string
  /** Over the same table, and straight to the server. */
  readonly direct: SqlKeyValue
}

/** Makes a store over a table of its own behind a proxy of its own, already in touch with the server. */
export type BehindProxy = (limits?: Pick<SqlOptions, 'maxConnections' | 'queueLimit'>) => Promise<Proxied>

/** Call it inside `describe`: it closes the proxies after each test. `open` opens the stores that are behind them. */
export function proxied(bench: SqlBench, open: OpenSql = bench.store): BehindProxy {
  const proxies: FaultProxy[] = []
  afterEach(async () => {
    for (const proxy of proxies.splice(0)) await proxy.close()
  })
  return async (limits = {}) => {
    const table = await bench.table()
    const proxy = await faultProxy(bench.url)
    proxies.push(proxy)
    const store = open({ ...limits, url: proxy.url, table })
    await store.read([{ key: 'warm' }], { deadlineAt: Number.POSITIVE_INFINITY })
    return { proxy, store, table, direct: keyValue(bench.store({ url: bench.url, table })) }
  }
}
