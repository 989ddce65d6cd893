import type { StudySubject } from '../../study/study.ts'
import type { SweepConfig } from './config.ts'
import type { SweepLoad } from './loads.ts'
import { recordsKey, settingOf } from './setting.ts'

/** One run of a load over one store at one value, or the loading of the records for several. */
export interface SweepCell {
  /** 0 loads and warms up, and is not counted; measured runs count from 1. */
  readonly run: number
  /** Index of the value. */
  readonly point: number
  readonly store: string
  readonly load: SweepLoad
  readonly value: number
}

/** Records once for each set and store; then each run goes through values, stores and loads. */
export function planSweep({
  config,
  stores,
}: Pick<StudySubject<SweepConfig>, 'config' | 'stores'>): SweepCell[] {
  const names = stores.map(({ name }) => name)
  const runs = Array.from({ length: config.runs }, (_, index) => index + 1)
  return [...firstCells(config, names), ...runs.flatMap((run) => cellsOf(config, names, run))]
}

/** All cells of a run; each run begins with another store. */
export function cellsOf({ over, loads }: SweepConfig, stores: readonly string[], run: number): SweepCell[] {
  const turned = stores.map((_, index) => stores[(index + run) % stores.length] as string)
  return over.values.flatMap((value, point) =>
    turned.flatMap((store) => loads.map((load): SweepCell => ({ run, point, store, load, value }))),
  )
}

/** The first cell of each set of records in each store. */
function firstCells(config: SweepConfig, stores: readonly string[]): SweepCell[] {
  const seen = new Set<string>()
  return cellsOf(config, stores, 0).filter((cell) => {
    const key = `${cell.store} ${recordsKey(settingOf(config, cell.load, cell.value))}`
    return !seen.has(key) && seen.add(key)
  })
}
