import { type IntervalSample, seriesInterval } from '../loop/interval-sample.ts'
import type { StudyContext } from './study.ts'

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
