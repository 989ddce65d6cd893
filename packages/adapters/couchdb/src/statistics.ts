import type { CallOptions, ServerStatistics } from '@unikv/core'
import { figureOf } from '@unikv/core/adapter'
import type { Backend } from './backend.ts'
import { statusError } from './errors.ts'

/** Figures of the database, which everybody who may read it may see. Those of the server are for its administrators. */
export async function statistics<V>({ couch }: Backend<V>, call: CallOptions): Promise<ServerStatistics> {
  const info = await couch.info(call)
  if (info === undefined) throw statusError(404, undefined, false)
  return { storedBytes: figureOf(info.sizes?.file), records: figureOf(info.doc_count), scope: 'dataset' }
}
