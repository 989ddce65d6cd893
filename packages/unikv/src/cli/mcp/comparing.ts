import { comparison, comparisonMarkdown } from '@unikv/bench/report'
import { StoreError } from '@unikv/core'
import { different, namedResults } from '../bench/compare-folders.ts'
import { resultPlaces } from '../dashboard/reports.ts'
import type { Ask, Means } from './tool.ts'

/** Compares the results in folders for those who may see them, by the measures of `unikv bench compare`. */
export function comparing(folders: readonly string[], ask: Ask): Means['compare'] {
  return async (names) => {
    if (folders.length === 0)
      throw new StoreError(
        'INVALID_ARGUMENT',
        'No folder with results of unikv bench was named at the start.',
      )
    await ask('/api/reports')
    const results = different(await namedResults(await resultPlaces(folders, names)))
    return comparisonMarkdown(comparison(results, { minEffect: 0.03, between: 0.25 }))
  }
}
