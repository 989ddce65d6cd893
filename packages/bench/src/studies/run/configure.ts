import { workloadOf } from '../../driven/given/workload-of.ts'
import { planLength } from '../../loop/rate-plan.ts'
import type { Workload } from '../../operations/workload.ts'
import type { Configured } from '../../study/study.ts'
import type { Given } from './given.ts'
import { refuseIdleFields } from './idle-fields.ts'
import { givenPhases } from './phases/given-phases.ts'
import type { Phase } from './phases/phase.ts'

/** The input of a configuration: the workload of a preset or of property files, changed by the other fields. */
export async function configure(fields: Readonly<Record<string, unknown>>): Promise<Configured> {
  const given = fields as Given
  const { workload: _file, preset: _preset, propertyFile: _files, property: _properties, ...rest } = given
  const { records: _records, mix: _mix, keys: _keys, valueSize: _sizes, ...others } = rest
  const {
    scanLength: _scan,
    batch: _batch,
    check: _check,
    duration,
    warmup,
    phases: own,
    ...loopFields
  } = others
  const { workload, loop, warnings, phases: ofModule } = await workloadOf(given)
  const phases = phasesOf(own ?? ofModule, workload['module'])
  refuseIdleFields(fields, { ...loop, ...loopFields, mix: workload['mix'] as Workload['mix'], phases })
  return {
    config: {
      ...loop,
      ...lengthOf(given, loop),
      ...loopFields,
      runs: given.runs ?? (given.until === undefined ? 3 : 30),
      ...(duration === undefined ? {} : { durationMs: duration }),
      ...warmupOf(warmup, phases),
      ...(given.save === undefined ? {} : { reset: 'commands' }),
      workload,
      phases,
    },
    warnings,
  }
}

/** A run lasts as long as the stages of its rate, unless it is told how long. */
function lengthOf({ rate }: Given, loop: object): object {
  const stagesMs = rate === undefined ? 0 : planLength(rate)
  return stagesMs === 0 || 'durationMs' in loop ? {} : { durationMs: stagesMs }
}

function phasesOf(given: unknown, module: unknown): readonly Phase[] {
  return given === undefined ? [] : givenPhases(given, (module ?? null) as Parameters<typeof givenPhases>[1])
}

/** Phases that warm up leave nothing to do for another warm-up. */
function warmupOf(warmup: Given['warmup'], phases: readonly Phase[]): object {
  if (warmup !== undefined) return { warmupMs: warmup }
  return phases.some((phase) => phase.warmup) ? { warmupMs: 0 } : {}
}
