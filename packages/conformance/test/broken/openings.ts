import { beginnings } from './openings/beginnings.ts'
import type { BrokenOpening } from './openings/broken-opening.ts'
import { ends } from './openings/ends.ts'
import { options } from './openings/options.ts'
import { preparing } from './openings/preparing.ts'
import { servers } from './openings/servers.ts'

/** Adapters that are not opened as they should be. */
export const brokenOpenings: readonly BrokenOpening[] = [
  ...options,
  ...beginnings,
  ...servers,
  ...preparing,
  ...ends,
]
