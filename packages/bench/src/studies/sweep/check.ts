import type { DataSource } from '../../data/data-source.ts'
import { checkThreads } from '../../drive/driver-of.ts'
import { checkWorkload, largestValue, recordsBytes } from '../../driven/check-workload.ts'
import { checkClients } from '../../driven/given/client-plan.ts'
import type { StudySubject } from '../../study/study.ts'
import type { SweepConfig } from './config.ts'
import { loopOf, type Setting, settingOf } from './setting.ts'

/** Refuse, before anything is sent, what a store cannot do at any value. */
export function check({ config, stores }: StudySubject<SweepConfig>): void {
  const { operations } = config
  checkClients(config, settings(config).map(loopOf), stores)
  for (const setting of settings(config)) {
    checkWorkload(setting.workload, stores)
    checkThreads(setting.threads, { loop: loopOf(setting), operations }, stores)
  }
}

/** @throws {StoreError} `INVALID_ARGUMENT` if the data cannot give a value of this length */
export function checkData(config: SweepConfig, data: DataSource): void {
  for (const { workload } of settings(config)) largestValue(workload, data)
}

/** Bytes of the largest set of records. */
export function leastBytes(config: SweepConfig): number {
  return Math.max(...settings(config).map(({ workload }) => recordsBytes(workload)))
}

function settings(config: SweepConfig): readonly Setting[] {
  const { loads, over } = config
  return loads.flatMap((load) => over.values.map((value) => settingOf(config, load, value)))
}
