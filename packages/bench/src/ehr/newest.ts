import type { Observation } from './observation.ts'

/** Observations of a patient that a list keeps: a little more than a reader asks for. */
export const listLength = 20

/** Those that a list keeps, the newest first. */
export function newest(observations: readonly Observation[]): readonly Observation[] {
  return observations
    .toSorted((a, b) => b.effectiveDateTime.localeCompare(a.effectiveDateTime))
    .slice(0, listLength)
}
