import type { SizesConfig, SizesResult } from '../../../src/studies/sizes/config.ts'
import type { Cell } from '../../../src/studies/sizes/plan.ts'
import { sizes } from '../../../src/studies/sizes/sizes.ts'
import { runStudy, type StudyInput } from '../../../src/study/run-study.ts'
import { studyConfig } from '../../../src/study/study-config.ts'

export const sizesConfig = (input: unknown): SizesConfig => studyConfig(sizes, input)

export const benchSizes = (input: StudyInput<SizesConfig, Cell>): Promise<SizesResult> =>
  runStudy(sizes, input)
