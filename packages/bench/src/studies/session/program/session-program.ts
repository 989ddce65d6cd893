import type { DriveProgram } from '../../../drive/crew.ts'
import { mergedFigures, type OwnFigures } from './own-figures.ts'
import type { SessionProgramOptions } from './session-driver.ts'

/** The name by which workers elsewhere know the program. */
export const programName = 'session'

/** The program of a job's sessions, for threads and workers. */
export function sessionProgram(options: SessionProgramOptions): DriveProgram {
  return {
    name: programName,
    module: moduleOf(import.meta.url),
    options,
    merged: (parts) => mergedFigures(parts as readonly OwnFigures[]),
  }
}

/**
 * Beside this file, or in the build if this is the source: Node runs a thread without help. In a CommonJS bundle, which has no threads, it is
 * nowhere.
 */
function moduleOf(here: string | undefined): string {
  if (here === undefined) return ''
  const file = here.endsWith('.ts')
    ? '../../../../dist/studies/session/program/session-driver.js'
    : './session-driver.js'
  return new URL(file, here).href
}
