// unstorage has no queries and no order: spans are found by listing the keys of a tenant.
import type { Storage } from 'unstorage'
import type { Log, Logs } from '../log.ts'
import { spanOf } from '../spans.ts'

export function logsIn(storage: Storage<Log>): Logs {
  const keyOf = (tenant: string, id: string): string => `${tenant}:${id}`
  const between: Logs['between'] = async (tenant, from, to) => {
    const keys = await storage.getKeys(`${tenant}:`)
    const items = await storage.getItems<Log>(keys)
    return spanOf(
      items.flatMap(({ value }) => value ?? []),
      from,
      to,
    )
  }
  const isThere = (tenant: string, id: string): Promise<boolean> => storage.hasItem(keyOf(tenant, id))
  return {
    async add(tenant, logs) {
      await Promise.all(logs.map((log) => storage.setItem(keyOf(tenant, log.id), log)))
    },
    async log(tenant, id) {
      return (await storage.getItem<Log>(keyOf(tenant, id))) ?? undefined
    },
    async correct(tenant, log) {
      if (!(await isThere(tenant, log.id))) return false
      await storage.setItem(keyOf(tenant, log.id), log)
      return true
    },
    async remove(tenant, id) {
      if (!(await isThere(tenant, id))) return false
      await storage.removeItem(keyOf(tenant, id))
      return true
    },
    between,
    async of(tenant, address, from, to) {
      return (await between(tenant, from, to)).filter((log) => log.address === address)
    },
    close: () => storage.dispose(),
  }
}
