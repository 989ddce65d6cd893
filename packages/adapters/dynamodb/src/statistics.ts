import type { CallOptions, ServerStatistics } from '@unikv/core'
import { figureOf } from '@unikv/core/adapter'
import type { Requests } from './client/requests.ts'
import { describe, missing } from './table.ts'

/** Figures of the table, which DynamoDB renews every six hours or so. It tells nothing of the service as a whole. */
export async function statistics(requests: Requests, call: CallOptions): Promise<ServerStatistics> {
  const described = await describe(requests, call)
  if (described === undefined) throw missing(requests.table)
  const { TableSizeBytes, ItemCount } = described
  return { storedBytes: figureOf(TableSizeBytes), records: figureOf(ItemCount), scope: 'dataset' }
}
