import { must, wrongAt } from '@unikv/stores/documents'
import { requirementsSchema, scenarioNamed } from '@unikv/stores/knowledge'
import { z } from 'zod'
import type { Plain } from '../../../options/option.ts'
import { at, callers, section, text } from './parts.ts'

/** The schema of a scenario as it is written down. */
export const givenScenario = section(
  {
    /** A general scenario, whose values hold where the others are left out. */
    extends: text.optional(),
    stimulus: text.optional(),
    environment: text.optional(),
    response: text.optional(),
    /** The goal, such as `recent.p95 < 50ms`. */
    measure: text.optional(),
    load: text,
    callers: callers.optional(),
    weight: z.number(must('a number above 0')).positive(must('a number above 0')).optional(),
    /** Facts without which a candidate is out before it is measured. */
    requires: requirementsSchema.optional(),
  },
  'an object with measure, load and callers',
)

type GivenScenario = Plain<typeof givenScenario>

/** A quality-attribute scenario that has all that it needs. */
export type ScenarioDocument = Omit<GivenScenario, 'extends' | 'measure' | 'callers'> & {
  readonly measure: string
  readonly callers: number
}

/**
 * A scenario over the general one that it extends.
 *
 * @throws {StoreError} `INVALID_CONFIG` for a general scenario that is not known, and for a value that neither has
 */
export function extended(
  name: string,
  { extends: from, ...own }: GivenScenario,
  file: string,
): ScenarioDocument {
  const place = `scenarios.${name}`
  const general = from === undefined ? {} : at(file, `${place}.extends`, () => scenarioNamed(from))
  const { measure, callers: count, ...others } = { ...general, ...own }
  if (measure === undefined)
    throw wrongAt(file, `${place}.measure`, 'it is missing: a figure and its bound, such as read.p95 < 50ms')
  if (count === undefined)
    throw wrongAt(file, `${place}.callers`, 'it is missing: a whole number from 1 to 100,000')
  return { ...others, measure, callers: count }
}
