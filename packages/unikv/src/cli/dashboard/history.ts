import { comparisonOverTime, type NamedResult } from '@unikv/bench/report'
import { documentStudies, studies } from '@unikv/bench/studies'
import { StoreError } from '@unikv/core'
import type { ResultHistory } from '@unikv/dashboard'
import { readResult } from '../bench/read-result.ts'

/**
 * The results of a study in these folders as one history. Those of several machines or configurations are in it, and its findings say so.
 *
 * @throws {StoreError} `INVALID_ARGUMENT` for fewer than two results
 */
export async function historyOf(places: ReadonlyMap<string, string>, name: string): Promise<ResultHistory> {
  const study = await [...studies, ...documentStudies].find((one) => one.name === name)?.load()
  if (study === undefined) throw new StoreError('INVALID_ARGUMENT', `There is no study '${name}'.`)
  const found = await Promise.all(
    [...places].map(async ([its, place]): Promise<readonly NamedResult[]> => {
      // Results of other studies are in these folders, too.
      const result = await readResult(study, place).catch(() => undefined)
      return result === undefined ? [] : [{ name: its, study, result }]
    }),
  )
  const { data, findings } = comparisonOverTime(found.flat(), { force: true })
  return {
    results: data.results.map((one) => ({ name: one.name, at: Date.parse(one.startedAt) })),
    findings,
    figures: data.figures.map(({ store, dimensions, figure, unit, values, changes, verdict }) => ({
      title: [store, ...Object.values(dimensions), figure].join(' · '),
      unit,
      values,
      changes: changes.map(({ at, before, after, verdict: turn }) => ({ at, before, after, verdict: turn })),
      verdict,
    })),
  }
}
