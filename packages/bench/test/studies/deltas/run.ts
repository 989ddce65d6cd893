import type { DeltasConfig } from '../../../src/studies/deltas/config.ts'
import { deltas } from '../../../src/studies/deltas/deltas.ts'
import type { DeltaCell, DeltasResult } from '../../../src/studies/deltas/plan.ts'
import { runStudy, type StudyInput } from '../../../src/study/run-study.ts'
import { studyConfig } from '../../../src/study/study-config.ts'

export const deltasConfig = (input: unknown): DeltasConfig => studyConfig(deltas, input)

export const benchDeltas = (input: StudyInput<DeltasConfig, DeltaCell>): Promise<DeltasResult> =>
  runStudy(deltas, input)
