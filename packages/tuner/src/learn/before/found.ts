import { StoreError } from '@unikv/core'
import { readWhole, writeWhole } from '@unikv/core/files'
import { z } from 'zod'
import { features } from '../features.ts'
import { featuresMark, type LessonsState, lessonsStateIn } from '../lessons-state.ts'

const found = z.strictObject({
  format: z.literal(1),
  features: z.literal(featuresMark),
  /** Kinds and versions of the stores that were tried. */
  stores: z.array(z.string()),
  /** Finished situations by name. */
  cells: z.record(
    z.string(),
    z.strictObject({
      label: z.string(),
      rounds: z.record(z.string(), z.array(z.strictObject({ opsPerSecond: z.number(), p99Ms: z.number() }))),
      vectors: z.array(z.array(z.number()).length(features.length)),
    }),
  ),
  /** The result, once all is finished. */
  lessons: z.unknown().optional(),
})

/** All that was found so far: the file of `unikv tune learn`. */
export type Found = z.infer<typeof found>

/** The contents of a file; nothing, if it is not there yet. */
export async function foundIn(file: string): Promise<Found> {
  const bytes = await readWhole(file).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT') return undefined
    throw new StoreError('INVALID_ARGUMENT', `${file} cannot be read (${cause.code}).`, { cause })
  })
  if (bytes === undefined) return { format: 1, features: featuresMark, stores: [], cells: {} }
  try {
    return found.parse(JSON.parse(bytes.toString()))
  } catch (cause) {
    throw new StoreError('CORRUPT', `${file} is not a file of unikv tune learn, or of another version.`, {
      cause,
    })
  }
}

/** Write what was found, whole. */
export async function keepFound(file: string, its: Found): Promise<void> {
  await writeWhole(file, `${JSON.stringify(its)}\n`)
}

/**
 * The lessons in a file of `unikv tune learn`.
 *
 * @throws {StoreError} `CORRUPT` for another file; `INVALID_CONFIG` if it is not finished
 */
export function lessonsIn(file: string, text: string): LessonsState {
  let lessons: unknown
  try {
    lessons = (JSON.parse(text) as Found).lessons
  } catch (cause) {
    throw new StoreError('CORRUPT', `${file} is not JSON.`, { cause })
  }
  if (lessons === undefined)
    throw new StoreError('INVALID_CONFIG', `${file} has no lessons yet. Let unikv tune learn finish.`)
  return lessonsStateIn(`The lessons in ${file}`, lessons)
}
