import type { Bytes } from '@unikv/core'
import {
  datasetName,
  NumberedGroups,
  type OpenedParts,
  type OpenedStore,
  openedStore,
} from '@unikv/core/adapter'
import type { Backend } from './backend.ts'
import { capabilitiesOf } from './capabilities.ts'
import { raw, records } from './format.ts'
import { GroupServer } from './groups/group-server.ts'
import { RedisGroups } from './groups/redis-groups.ts'
import type { RedisSettings } from './options.ts'
import { read } from './read.ts'
import { scanPages } from './scan.ts'
import { together } from './server/together.ts'
import { Servers } from './servers.ts'
import { statistics } from './statistics.ts'
import { noteSource } from './tracking/tracking-source.ts'
import { write } from './write.ts'

/** The store of these settings. Opening loads the driver; each call connects, if it has to. */
export function openStore(settings: RedisSettings): OpenedStore<Bytes> {
  const servers = new Servers(settings)
  const store = openedStore<Bytes, Backend>({
    name: settings.name,
    dataset: datasetOf(settings),
    capabilities: capabilitiesOf(settings),
    get native() {
      return servers.native
    },
    open: () => openBackend(servers, settings),
    read,
    write,
    // The keys of a cluster lie on several servers; foreign bytes have no versions.
    ...(!settings.isCluster && !settings.raw && { together }),
    scan: scanPages,
    statistics,
    // A server that drops keys would drop parts of a group.
    ...(!settings.evicts && { groups: groupsOf(settings) }),
    closing: () => servers.close(),
  })
  noteForTracking(store, settings)
  return store
}

function groupsOf({ dataset }: RedisSettings): OpenedParts<Bytes, Backend>['groups'] {
  return {
    control: 'optimistic',
    maxGroupBytes: Number.POSITIVE_INFINITY,
    open: async (backend) =>
      new NumberedGroups(new RedisGroups(new GroupServer(backend), dataset), { maxKeyBytes }),
  }
}

/** Most bytes of a group and a key in it. */
const maxKeyBytes = 65_536

function datasetOf({ source, dataset }: RedisSettings): string {
  const target = 'target' in source ? source.target : undefined
  const places = target?.addresses.map(({ host, port }) => `${host}:${port}`).sort() ?? []
  return datasetName('redis', ...places, target?.db, dataset)
}

async function openBackend(servers: Servers, settings: RedisSettings): Promise<Backend> {
  const { connection, driver } = await servers.open()
  const dataset = {
    prefix: prefixOf(settings),
    format: settings.raw ? raw : records,
    manyKeys: !settings.isCluster,
    driver,
  }
  return { servers, connection, dataset, replicas: settings.replicas }
}

function noteForTracking(store: object, settings: RedisSettings): void {
  const { source, isCluster } = settings
  const { target, driver } = 'target' in source ? source : { target: undefined, driver: 'ioredis' as const }
  noteSource(store, { prefix: prefixOf(settings), isCluster, target, driver })
}

function prefixOf({ dataset }: RedisSettings): string {
  return `${dataset}:`
}
