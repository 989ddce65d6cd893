import { histogramJson } from '@unikv/core/histogram'
import { isError } from '@unikv/core/platform'
import { firstCause } from '../loop/first-cause.ts'
import type { IntervalSample } from '../loop/interval-sample.ts'
import type { LoopResult } from '../loop/loop-result.ts'
import { verdict } from '../loop/verdict.ts'
import { type CountedKind, countedKinds } from '../operations/mixed-operations.ts'
import type { CheckCounts } from '../operations/read-checks.ts'
import type { DriveSample, ScheduleSample } from './sample.ts'

/** The measurements of a loop over these operations, as plain JSON. */
export function sampleOf(
  result: LoopResult,
  names: readonly string[],
  series: readonly IntervalSample[],
  checks?: CheckCounts,
): DriveSample {
  const { elapsedMs, countedMs, operations, errors, firstError, kinds, loop, lostMs } = result
  const counted = countedKinds(names)
  return {
    elapsedMs,
    countedMs,
    operations,
    errors,
    firstError: errors === 0 ? null : messageOf(firstError),
    kinds: kinds.map((kind, index) => ({
      ...(counted[index] as CountedKind),
      errors: kind.errors,
      errorCodes: Object.fromEntries(kind.codes),
      late: kind.late,
      ...(kind.errors === 0 ? {} : { failed: histogramJson(kind.failed) }),
      service: histogramJson(kind.service),
      response: loop === 'open' ? histogramJson(kind.response) : null,
    })),
    series,
    lostMs,
    schedule: scheduleOf(result),
    checks: checks === undefined ? null : { checked: checks.checked, wrong: checks.wrong },
    // a wrong value fails a threshold of its own
    invalid: verdict(
      checks === undefined ? result : { ...result, errors: Math.max(0, errors - checks.wrong) },
    ),
  }
}

function scheduleOf({ open }: LoopResult): ScheduleSample | null {
  if (open === undefined) return null
  const { targetRate, arrivals, dropped, queued, lag } = open
  return { targetRate, arrivals, dropped, queued, lag: histogramJson(lag) }
}

function messageOf(error: unknown): string {
  const cause = firstCause(error)
  return isError(cause) ? cause.message : String(cause)
}
