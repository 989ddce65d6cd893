import type { RunNamespace, StoreTarget, StudyContext } from '@unikv/workload'
import { openAccess } from '../access/open-access.ts'
import type { SessionConfig } from '../config.ts'
import { OperationWork } from './operation-work.ts'
import { SessionWork } from './session-work.ts'
import type { Work } from './work.ts'

/** Open the work of a job: its sessions, or operations in their place. */
export async function openWork(context: StudyContext<SessionConfig>, name: string): Promise<Work> {
  const { config, stores, namespaces, runId } = context
  const target = stores.find((store) => store.name === name) as StoreTarget
  const namespace = namespaces.get(target) as RunNamespace
  if (config.operations !== null) return OperationWork.open(context, config.operations, target)
  const place = { store: target.store, keys: namespace.keys, prefix: `unikv_${runId}_` }
  return new SessionWork(context, name, openAccess(config, place))
}
