import type { Bytes, CallOptions, Page, ScanRange } from '@unikv/core'
import { StoreError } from '@unikv/core/adapter'
import type { Backend } from './backend.ts'
import { layoutOf } from './layout.ts'
import { read } from './read.ts'
import { readPosition, writePosition } from './scan-position.ts'
import { type ScanSource, Walk } from './walk.ts'

/** The pages of a listing; the client connects again for each, if it has to. */
export function scanPages(
  backend: Backend,
  range: ScanRange,
  call: CallOptions,
): AsyncGenerator<Page<Bytes>> {
  const { servers, connection, dataset } = backend
  const source: ScanSource = {
    prefix: dataset.prefix,
    header: dataset.format.header,
    layout: async () => {
      await servers.ready(connection, call)
      return layoutOf(connection)
    },
    ready: (shard) => servers.ready(shard, call),
    read: (reads) => read(backend, reads, call),
  }
  return scanShards(source, range)
}

/**
 * List the keys of all shards by SCAN, one shard after another. A key that lives throughout appears at least
 * once: a shard that was restarted (where cursors of before mean nothing) is walked again, and a cluster that
 * moved slots meanwhile makes the scan fail instead of missing keys.
 */
export async function* scanShards(source: ScanSource, range: ScanRange): AsyncGenerator<Page<Bytes>> {
  const { shards, fingerprint } = await source.layout()
  const resumed = range.resume === undefined ? undefined : readPosition(range.resume)
  const start = resumed?.layout === fingerprint ? resumed : undefined
  const first = Math.max(
    0,
    shards.findIndex(({ id }) => id === start?.shard),
  )
  for (const [i, shard] of shards.entries()) {
    if (i < first) continue
    const following = shards[i + 1]?.id
    const next =
      following === undefined
        ? undefined
        : writePosition({ layout: fingerprint, shard: following, run: '', cursor: '0', pending: [] })
    const walk = new Walk(source, range, shard, fingerprint, i === first ? start : undefined)
    do {
      yield { entries: await walk.page(), resume: walk.over ? next : walk.position }
    } while (!walk.over)
  }
  const now = await source.layout()
  if (now.fingerprint === fingerprint && !now.moving) return
  throw new StoreError(
    'UNAVAILABLE',
    'The cluster moved slots while its keys were listed, so some may be missing. List them again.',
  )
}
