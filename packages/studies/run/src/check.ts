import type { StudySubject } from '@unikv/workload'
import { checkThreads } from '@unikv/workload/drive'
import { checkThresholds, checkWorkload } from '@unikv/workload/driven'
import { mixOf } from '@unikv/workload/operations'
import type { RunConfig } from './config.ts'

/** Refuse, before anything is sent, what a store cannot do. */
export function check({ config, stores }: StudySubject<RunConfig>): void {
  const { workload, failIf, threads, operations } = config
  checkThreads(threads, { loop: config, operations }, stores)
  checkThresholds(
    failIf,
    mixOf(workload).map(([operation]) => operation),
    workload.check,
  )
  checkWorkload(workload, stores)
}
