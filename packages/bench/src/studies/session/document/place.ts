import type { StoreError } from '@unikv/core'
import { wrongAt } from '@unikv/stores/documents'
import { shownText } from './shown.ts'

/** The file of a document, and the line where it is known, for a path in a job such as `workload.measure`. */
export type Place = string | ((path: string) => string)

/** A mistake in a job, as one sentence, which may quote a value but not its secrets. */
export function wrongIn(place: Place, path: string, message: string): StoreError {
  return wrongAt(typeof place === 'string' ? place : place(path), path, shownText(message))
}
