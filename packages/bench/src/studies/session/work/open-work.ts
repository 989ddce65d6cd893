import type { StoreTarget } from '../../../run/target.ts'
import type { StudyContext } from '../../../study/study.ts'
import type { SessionConfig } from '../config.ts'
import { OperationWork } from './operation-work.ts'
import { SessionWork } from './session-work.ts'
import type { Work } from './work.ts'

/** Open the work of a job: its sessions, or operations in their place. */
export async function openWork(context: StudyContext<SessionConfig>, name: string): Promise<Work> {
  const { config, stores } = context
  const target = stores.find((store) => store.name === name) as StoreTarget
  return config.operations === null
    ? SessionWork.open(context, target)
    : OperationWork.open(context, config.operations, target)
}
