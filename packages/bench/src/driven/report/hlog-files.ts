import { histogramOf } from '@unikv/core/histogram'
import { type HlogInterval, hlog } from '../../statistics/hlog.ts'
import type { DrivenResult, TargetResult } from '../result.ts'
import { operationText, targetKey } from './words.ts'

/** A log of each store that tools of HdrHistogram read: one line for each operation of each run. */
export function hlogFiles({ startedAt, targets }: DrivenResult): ReadonlyMap<string, string> {
  const at = Date.parse(startedAt)
  return new Map(targets.map((target) => [`${targetKey(target)}.hlog`, hlog(at, intervalsOf(target))]))
}

/** Response times at a rate; runs follow each other without a pause. */
function intervalsOf({ runs }: TargetResult): HlogInterval[] {
  let startMs = 0
  return runs.flatMap(({ kinds, elapsedMs: lengthMs }) => {
    const begins = startMs
    startMs += lengthMs
    return kinds.map((kind) => ({
      tag: operationText(kind),
      startMs: begins,
      lengthMs,
      histogram: histogramOf(kind.response ?? kind.service),
    }))
  })
}
