import type { Bytes, Mutation } from '@unikv/core'
import type { LmdbStats } from '../client/lmdb-client.ts'

/** Bytes of the file that a database takes. */
export function sizeOf(stats: LmdbStats): number {
  const { pageSize, treeBranchPageCount, treeLeafPageCount, overflowPages } = stats
  return pageSize * (treeBranchPageCount + treeLeafPageCount + overflowPages)
}

/** Bytes that mutations add to the file. Those that only remove are never refused. */
export function addedBytes(mutations: readonly Mutation<Bytes>[]): number | undefined {
  let bytes: number | undefined
  for (const mutation of mutations)
    if (mutation.type !== 'delete')
      bytes = (bytes ?? 0) + (mutation.type === 'set' ? mutation.value.length : 0)
  return bytes
}
