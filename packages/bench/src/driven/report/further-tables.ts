import type { ReportTable } from '../../report/report-table.ts'
import { formatMs } from '../../report/words.ts'
import type { DrivenResult } from '../result.ts'
import { foundText } from './words.ts'

/** The thresholds, where there are some. */
export function thresholdTables(result: DrivenResult): readonly ReportTable[] {
  return result.thresholds.length === 0 ? [] : [thresholds(result)]
}

function thresholds(result: DrivenResult): ReportTable {
  return {
    title: 'Thresholds: the run fails if …',
    head: ['ok', 'store', 'fails if', 'found'],
    names: 3,
    rows: result.thresholds.map(({ store, text, found, isCrossed }) => [
      found === null ? '?' : isCrossed ? '✗' : '✓',
      store,
      text,
      foundText(text, found),
    ]),
  }
}

/** Loading, keeping and bringing back the records, where that was asked for. */
export function resetTables({ targets }: DrivenResult): readonly ReportTable[] {
  const stores = [...new Map(targets.map((target) => [target.store, target])).values()]
  const rows = stores.flatMap(({ store, load, reset }) =>
    reset === null
      ? []
      : [
          [
            store,
            formatMs(load.elapsedMs),
            formatMs(reset.saveMs),
            formatMs(reset.restoreMs.mean),
            reset.way,
          ],
        ],
  )
  if (rows.length === 0) return []
  const title = 'Loading the records, keeping them, and bringing them back before each run'
  return [{ title, head: ['store', 'load', 'keep', 'bring back', 'by'], rows }]
}
