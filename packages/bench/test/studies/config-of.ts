import type { BenchCell } from '../../src/run/progress.ts'
import { configuredBy } from '../../src/study/configured.ts'
import type { Study, StudyRecord } from '../../src/study/study.ts'
import type { StudyConfig } from '../../src/study/study-config.ts'

/** The configuration of options by their names, with the values of their texts. */
export async function configOf<
  C extends StudyConfig,
  L extends BenchCell,
  R extends StudyRecord<L>,
  B extends object,
>(study: Study<C, L, R, B>, values: object): Promise<C> {
  const { config } = await configuredBy(study, values as Record<string, unknown>)
  return config as C
}
