import { runStudy, type StudyInput, studyConfig } from '@unikv/workload'
import type { SizesConfig } from '../src/config.ts'
import type { Cell } from '../src/plan.ts'
import type { SizesResult } from '../src/result.ts'
import { sizes } from '../src/sizes.ts'

export const sizesConfig = (input: unknown): SizesConfig => studyConfig(sizes, input)

export const benchSizes = (input: StudyInput<SizesConfig, Cell>): Promise<SizesResult> =>
  runStudy(sizes, input)
