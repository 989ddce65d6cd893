// In whichever store the configuration names. Spans are found by the part of the ids that they have in common.
import { loadConfig, openStores } from '@unikv/manager'
import { Log, type Logs } from './log.ts'
import { sharedStart, spanOf } from './spans.ts'

const uses = { logs: { schema: Log, needs: ['scan'] } } as const

/** @param configuration the path of a `unikv.config.yaml` */
export async function logsOf(configuration: string): Promise<Logs> {
  const { stores, close } = await openStores(await loadConfig(configuration), { uses })
  const between: Logs['between'] = async (tenant, from, to) => {
    const found: Log[] = []
    for await (const [, { value }] of stores.logs
      .namespace(tenant)
      .entries({ prefix: sharedStart(from, to) }))
      found.push(value)
    return spanOf(found, from, to)
  }
  return {
    async add(tenant, logs) {
      await stores.logs.namespace(tenant).setMany(logs.map((log) => [log.id, log] as const))
    },
    log: (tenant, id) => stores.logs.namespace(tenant).get(id),
    async correct(tenant, log) {
      const own = stores.logs.namespace(tenant)
      const isThere = await own.has(log.id)
      if (isThere) await own.set(log.id, log)
      return isThere
    },
    async remove(tenant, id) {
      const own = stores.logs.namespace(tenant)
      const isThere = await own.has(id)
      if (isThere) await own.delete(id)
      return isThere
    },
    between,
    async of(tenant, address, from, to) {
      return (await between(tenant, from, to)).filter((log) => log.address === address)
    },
    close,
  }
}
