import { StoreError } from '@unikv/core'
import { readWholeNow } from '@unikv/core/files'
import { lessonsIn } from './before/found.ts'
import { type LessonsState, lessonsStateIn } from './lessons-state.ts'
import { shipped } from './shipped.ts'

/**
 * The lessons to begin from.
 *
 * @throws {StoreError} `INVALID_CONFIG` for a file that cannot be read or is not finished; `CORRUPT` for one that has no lessons
 */
export function startFrom(given: unknown): LessonsState | undefined {
  if (given === false) return undefined
  if (given === undefined) return shipped()
  if (typeof given !== 'string') return lessonsStateIn('`lessons` of tuner()', given)
  return lessonsIn(given, textOf(given))
}

function textOf(file: string): string {
  try {
    return readWholeNow(file).toString()
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    throw new StoreError('INVALID_CONFIG', `\`lessons\` of tuner(): ${file} cannot be read (${code}).`, {
      cause,
    })
  }
}
