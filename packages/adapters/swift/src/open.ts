import { type Bytes, StoreError } from '@unikv/core'
import { callOptions, datasetName, type OpenedStore, openedStore } from '@unikv/core/adapter'
import { performance } from '@unikv/core/platform'
import { capabilitiesOf } from './capabilities.ts'
import { SwiftAccount } from './client/account.ts'
import { nativeOf } from './client/native.ts'
import { SwiftObjects } from './objects.ts'
import type { SwiftSettings } from './options.ts'
import { read } from './read.ts'
import { scanPages } from './scan.ts'
import { statistics } from './statistics.ts'
import { write } from './write.ts'

/** Longest time that signing in and looking at the container may take. */
const openTimeoutMs = 10_000

/** The store of these settings. */
export function openStore(settings: SwiftSettings): OpenedStore<Bytes> {
  const { name, storageUrl, authUrl, container, prefix, maxConnections: width } = settings
  const account = new SwiftAccount(settings)
  return openedStore<Bytes, SwiftObjects>({
    name,
    dataset: datasetName('swift', (storageUrl ?? authUrl).host, container, prefix),
    capabilities: capabilitiesOf(settings),
    native: nativeOf(account),
    open: () => openContainer(account, settings),
    read: (objects, reads, call) => read(objects, reads, width, call),
    write: (objects, mutations, call) => write(objects, mutations, width, call),
    scan: (objects, range, call) => scanPages(objects, range, width, call),
    statistics,
    // Calls that wait for the connections end with them.
    closing: () => account.close(),
  })
}

async function openContainer(
  account: SwiftAccount,
  { container, prefix, prepare }: SwiftSettings,
): Promise<SwiftObjects> {
  const objects = new SwiftObjects(account, container, `${prefix}/`)
  const call = callOptions({ deadlineAt: performance.now() + openTimeoutMs })
  if (await objects.isPrepared(call)) return objects
  if (!prepare)
    throw new StoreError(
      'NOT_PREPARED',
      `There is no container ${container}. Call prepareSwift with these options once, or set prepare: true.`,
    )
  await objects.prepare(call)
  return objects
}
