import { Refused } from '@unikv/http/parts'
import type { KeptHistory } from '@unikv/monitor/recorder'

/** One period of one operation. */
export interface PastPoint {
  readonly at: number
  readonly lengthMs: number
  readonly store: string
  readonly operation: string
  readonly calls: number
  readonly failed: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly hitRate: number
}

/** The past of all processes, from where the monitor keeps it. */
export async function historyView(
  kept: Pick<KeptHistory, 'history'> | undefined,
  query: URLSearchParams,
): Promise<readonly PastPoint[]> {
  if (kept === undefined)
    throw new Refused(
      404,
      'NOT_FOUND',
      'No past is kept here: the configuration has no `monitor: { keepIn }`.',
    )
  const points = await kept.history({
    store: query.get('store') ?? undefined,
    from: query.get('from') ?? undefined,
    to: query.get('to') ?? undefined,
    resolution: (query.get('resolution') ?? 'minute') as 'minute',
    onUnreadable: () => {},
  })
  return points.map(({ at, lengthMs, store, operation, calls, failed, latency, hitRate }) => {
    const { p50Ms, p99Ms } = latency
    return { at, lengthMs, store, operation, calls, failed, p50Ms, p99Ms, hitRate }
  })
}
