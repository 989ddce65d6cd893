import { StoreError } from '@unikv/core'
import { z } from 'zod'
import { option, type Plain } from '../options/option.ts'

const most = 86_400_000

/** A time for a configuration. */
export const milliseconds = z.number().positive().max(most)

/** Measured runs of each cell, after one that is not counted; their default differs from study to study. */
export const runsSchema = option(z.int().min(1).max(1_000), { alike: null })

/** Fields of the configuration of every study but `runs`. */
export const studyShape = {
  seed: option(z.int().min(0).max(0xffff_ffff).default(42), {
    help: 'seed of data and order',
    guide: 'The same seed gives the same data and operations.',
    alike: 'seed',
  }),
  /** Deadline of every call. */
  timeoutMs: option(z.int().min(1).max(most).default(5_000), { help: 'deadline of every call', alike: null }),
  /** Run in a store that holds records already (in a namespace apart from them). */
  allowNonEmpty: option(z.boolean().default(false), {
    help: 'allow a dataset that holds other records (they are not changed)',
    alike: null,
  }),
}

const studyConfigSchema = z.object({ runs: runsSchema, ...studyShape })

/** The configuration that all studies share. */
export type StudyConfig = Plain<typeof studyConfigSchema>

/**
 * A configuration with its defaults filled in.
 *
 * @param nameOf how the user calls a field. Default: by its path
 * @throws {StoreError} `INVALID_CONFIG` naming the first thing that is wrong
 */
export function studyConfig<C>(
  study: { readonly config: z.ZodType<C> },
  input: unknown,
  nameOf: (path: string) => string = (path) => path,
): C {
  const parsed = study.config.safeParse(input)
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  const message = `${nameOf(issue?.path.join('.') ?? 'configuration')}: ${issue?.message ?? 'invalid'}`
  throw new StoreError('INVALID_CONFIG', `The configuration is wrong at ${message}.`, { cause: parsed.error })
}
