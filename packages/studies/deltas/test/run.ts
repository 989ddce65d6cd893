import { runStudy, type StudyInput, studyConfig } from '@unikv/workload'
import type { DeltasConfig } from '../src/config.ts'
import { deltas } from '../src/deltas.ts'
import type { DeltaCell } from '../src/plan.ts'
import type { DeltasResult } from '../src/result.ts'

export const deltasConfig = (input: unknown): DeltasConfig => studyConfig(deltas, input)

export const benchDeltas = (input: StudyInput<DeltasConfig, DeltaCell>): Promise<DeltasResult> =>
  runStudy(deltas, input)
