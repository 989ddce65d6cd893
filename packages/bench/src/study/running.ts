import { type IntervalSample, seriesInterval } from '../loop/interval-sample.ts'
import type { StoreTarget } from '../run/target.ts'
import type { StudyContext } from './study.ts'

/** The store of a cell, which its plan has named. */
export function targetOf({ stores }: { readonly stores: readonly StoreTarget[] }, name: string): StoreTarget {
  return stores.find((target) => target.name === name) as StoreTarget
}

/** The same list, of which another item is first, so that none always goes first. */
export function turned<T>(list: readonly T[], by: number): readonly T[] {
  return list.map((_, index) => list[(index + by) % list.length] as T)
}

type Reporting = Pick<StudyContext<unknown>, 'report'>

/** Tells of the records of a store as they are loaded. */
export function loading({ report }: Reporting, target: string, of: number): (records: number) => void {
  return (records) => report({ type: 'loading', target, records, of })
}

/** Tells of each second of a run. */
export function driving(
  { report }: Reporting,
  target: string,
  run: number,
): (interval: IntervalSample) => void {
  return (interval) => report({ type: 'interval', target, run, interval: seriesInterval(interval) })
}
