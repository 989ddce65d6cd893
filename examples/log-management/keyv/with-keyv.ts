// keyv has no queries and no order: spans are found by walking the keys of all tenants.
import type { Keyv } from 'keyv'
import type { Log, Logs } from '../log.ts'
import { spanOf } from '../spans.ts'

export function logsIn(keyv: Keyv<Log>): Logs {
  const keyOf = (tenant: string, id: string): string => `${tenant}/${id}`
  const between: Logs['between'] = async (tenant, from, to) => {
    const found: Log[] = []
    for await (const [key, log] of keyv.iterator?.(undefined) ?? [])
      if (key.startsWith(`${tenant}/`)) found.push(log)
    return spanOf(found, from, to)
  }
  return {
    async add(tenant, logs) {
      await keyv.setMany(logs.map((log) => ({ key: keyOf(tenant, log.id), value: log })))
    },
    log: (tenant, id) => keyv.get(keyOf(tenant, id)),
    async correct(tenant, log) {
      const isThere = await keyv.has(keyOf(tenant, log.id))
      if (isThere) await keyv.set(keyOf(tenant, log.id), log)
      return isThere
    },
    remove: (tenant, id) => keyv.delete(keyOf(tenant, id)),
    between,
    async of(tenant, address, from, to) {
      return (await between(tenant, from, to)).filter((log) => log.address === address)
    },
    close: () => keyv.disconnect(),
  }
}
