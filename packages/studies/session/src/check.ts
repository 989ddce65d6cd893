import { StoreError } from '@unikv/core'
import { checkedModel } from '@unikv/session'
import type { StudySubject } from '@unikv/workload'
import { modelContext } from './access/plans.ts'
import type { SessionConfig } from './config.ts'

/** Refuse, before anything is sent, a model that does not fit its benchmark, and events that would never happen. */
export function check({ config }: StudySubject<SessionConfig>): void {
  checkedModel(config.model, modelContext(config.benchmark))
  const late = config.events.find(({ atMs }) => atMs >= config.durationMs)
  if (late === undefined) return
  const message = `An event is at ${late.atMs / 1000} s, and a run ends after ${config.durationMs / 1000} s. Measure longer, or let it happen earlier.`
  throw new StoreError('INVALID_CONFIG', message)
}
