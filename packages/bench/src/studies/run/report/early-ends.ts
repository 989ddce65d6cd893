import { targetText } from '../../../driven/report/words.ts'
import { settingOf } from '../phases/setting.ts'
import type { RunResult } from '../result.ts'

/** Runs that ended early, as a threshold was crossed: their figures are of fewer seconds. */
export function earlyEnds({ status, config, targets }: RunResult): readonly string[] {
  if (!config.failFast || status !== 'crossed') return []
  return targets.flatMap((target) => {
    const { durationMs, operations } = settingOf(config, target.phase)
    const early = target.runs.filter(
      (run) => run.elapsedMs < durationMs - 1_000 && (operations === null || run.operations < operations),
    )
    return early.map(
      ({ run, elapsedMs }) =>
        `${targetText(target)}: run ${run} ended after ${seconds(elapsedMs)} of ${seconds(durationMs)} s, as a threshold was crossed.`,
    )
  })
}

function seconds(ms: number): string {
  return (ms / 1_000).toFixed(1)
}
