import type { WorkloadSources } from '../../driven/given/sources.ts'
import { workloadOf } from '../../driven/given/workload-of.ts'
import { planLength, type RatePlan } from '../../loop/rate-plan.ts'
import type { Given } from '../../options/plain.ts'
import type { Configured } from '../../study/study.ts'
import type { runConfigSchema } from './config.ts'
import { givenPhases } from './phases/given-phases.ts'
import type { Phase } from './phases/phase.ts'

/** The input of a configuration: the workload of its sources, changed by the other options. */
export async function configure(
  given: Given<typeof runConfigSchema>,
  sources: WorkloadSources,
): Promise<Configured> {
  const { workload, loop, warnings, phases: ofModule } = await workloadOf(sources, given.workload)
  const phases = phasesOf(given.phases ?? ofModule, workload['module'])
  const config = {
    ...loop,
    ...lengthOf(given.rate, loop),
    ...(given.until == null ? {} : { runs: 30 }),
    // Phases that warm up leave nothing to do for another warm-up.
    ...(phases.some(({ warmup }) => warmup) ? { warmupMs: 0 } : {}),
    ...given,
    ...(given.save == null ? {} : { reset: 'commands' }),
    workload,
    phases,
  }
  return { config, warnings }
}

/** A run lasts as long as the stages of its rate, unless it is told how long. */
function lengthOf(rate: RatePlan | null | undefined, loop: object): object {
  const stagesMs = rate == null ? 0 : planLength(rate)
  return stagesMs === 0 || 'durationMs' in loop ? {} : { durationMs: stagesMs }
}

function phasesOf(given: unknown, module: unknown): readonly Phase[] {
  return given === undefined ? [] : givenPhases(given, (module ?? null) as Parameters<typeof givenPhases>[1])
}
