import type { StoreError } from '@unikv/core'
import { checkThreads, checkWorkers } from '../../drive/driver-of.ts'
import { checkWorkload } from '../../driven/check-workload.ts'
import { checkClients } from '../../driven/given/loop-options.ts'
import { checkThresholds } from '../../driven/thresholds/threshold.ts'
import { mixOf, tellingStale } from '../../operations/mix.ts'
import type { Workload } from '../../operations/workload.ts'
import { wrong } from '../../study/faults.ts'
import type { StudySubject } from '../../study/study.ts'
import { checkTableName } from '../../tables/table.ts'
import type { RunConfig } from './config.ts'
import { settings } from './phases/setting.ts'

/** Refuse, before anything is sent, what a store cannot do. */
export function check({ config, stores }: StudySubject<RunConfig>): void {
  const { failIf, threads, workers, workload } = config
  if (threads > 1 && workers > 0) throw both()
  const all = settings(config)
  checkClients(
    config,
    all.map(({ loop }) => loop),
    stores,
  )
  for (const setting of all) {
    checkTable(config.table, setting.workload)
    checkReset(config)
    checkThreads(threads, setting, stores)
    checkWorkers(workers, setting, stores)
    checkWorkload(setting.workload, stores)
  }
  const names = all.flatMap((setting) => mixOf(setting.workload).map(([operation]) => operation))
  const operations = [...new Set(names)]
  const tellsStale = tellingStale(operations, workload.module).length > 0
  checkThresholds(failIf, { operations, hasChecks: workload.check, tellsStale })
}

/** Records that a run deletes are missing in the next one. */
function checkTable(table: string | null, workload: Workload): void {
  if (table === null) return
  checkTableName(table)
  if (!mixOf(workload).some(([name]) => name === 'delete')) return
  const message = `The operation delete would leave the table ${table} without records that its next run expects. Leave delete or --table out.`
  throw wrong(message)
}

/** Records of a table are of others, too. */
function checkReset({ table, reset }: RunConfig): void {
  if (table === null || reset === 'none') return
  const message =
    'Records of a --table stay as they are. Leave --table out, or --reset, --save and --restore.'
  throw wrong(message)
}

function both(): StoreError {
  const message = '--threads and --workers divide a run in two ways: give one of them.'
  return wrong(message)
}
