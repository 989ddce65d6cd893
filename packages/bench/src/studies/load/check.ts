import { StoreError } from '@unikv/core'
import { checkWorkload } from '../../driven/check-workload.ts'
import type { StudySubject } from '../../study/study.ts'
import type { LoadConfig } from './config.ts'

/** Refuse, before anything is sent, stores in which a table cannot stay. */
export function check({ config, stores }: StudySubject<LoadConfig>): void {
  const forgetful = stores.find(({ store }) => store.name === 'memory')
  if (forgetful !== undefined) {
    const message = `${forgetful.name} keeps its records in this process, so a table would be gone with it. Use bench run without --table.`
    throw new StoreError('UNSUPPORTED', message)
  }
  if (config.threads > 1 && config.workers > 0)
    throw new StoreError(
      'INVALID_ARGUMENT',
      '--threads and --workers divide a load in two ways: give one of them.',
    )
  // Only the lengths of values matter here, not the operations that will come.
  checkWorkload({ ...config.workload, mix: { update: 1 } }, stores)
}
