import { StoreError } from '@unikv/core'
import { z } from 'zod'

/** The configuration that all studies share. */
export interface StudyConfig {
  /** Measured runs of each cell, after one that is not counted. */
  readonly runs: number
  readonly seed: number
  /** Deadline of every call. */
  readonly timeoutMs: number
  /** Run in a store that holds records already (in a namespace apart from them). */
  readonly allowNonEmpty: boolean
}

const most = 86_400_000

/** A time for a configuration. */
export const milliseconds: z.ZodNumber = z.number().positive().max(most)

/** Fields of the configuration of every study but `runs`, whose default differs. */
export const studyShape: {
  readonly seed: z.ZodDefault<z.ZodInt>
  readonly timeoutMs: z.ZodDefault<z.ZodInt>
  readonly allowNonEmpty: z.ZodDefault<z.ZodBoolean>
} = {
  seed: z.int().min(0).max(0xffff_ffff).default(42).describe('seed of data and order'),
  timeoutMs: z.int().min(1).max(most).default(5_000).describe('deadline of every call'),
  allowNonEmpty: z
    .boolean()
    .default(false)
    .describe('allow a dataset that holds other records (they are not changed)'),
}

/**
 * A configuration with its defaults filled in.
 *
 * @throws {StoreError} `INVALID_CONFIG` naming the first thing that is wrong
 */
export function studyConfig<C>(study: { readonly config: z.ZodType<C> }, input: unknown): C {
  const parsed = study.config.safeParse(input)
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  const message = `${issue?.path.join('.') ?? 'configuration'}: ${issue?.message ?? 'invalid'}`
  throw new StoreError('INVALID_CONFIG', `The configuration is wrong at ${message}.`, { cause: parsed.error })
}
