import { StoreError } from '@unikv/core'
import { z } from 'zod'
import type { BenchCell } from '../run/progress.ts'
import { runResultShape } from '../run/result.ts'
import type { AnyStudy, Study, StudyRecord, StudyResult } from './study.ts'
import type { StudyConfig } from './study-config.ts'

/**
 * A result of a study, read back from `result.json`.
 *
 * @throws {StoreError} `CORRUPT` if the text is not a result of this study and format
 */
export function parseResult<
  C extends StudyConfig,
  L extends BenchCell,
  R extends StudyRecord<L>,
  B extends object,
>(study: Study<C, L, R, B>, text: string): StudyResult<C, B> {
  const schema = z.strictObject({
    ...runResultShape,
    format: z.literal(`unikv.bench-${study.name}`),
    formatVersion: z.literal(study.formatVersion),
    config: study.config,
    ...study.body,
  })
  try {
    return schema.parse(JSON.parse(text)) as unknown as StudyResult<C, B>
  } catch (cause) {
    throw new StoreError('CORRUPT', `The file is not a result.json of unikv bench ${study.name}.`, { cause })
  }
}

/** The command that runs a study. */
export function commandOf({
  name,
  command = `unikv bench ${name}`,
}: Pick<AnyStudy, 'name' | 'command'>): string {
  return command
}
