import { durabilitiesOf } from '../run/durability-words.ts'
import type { AnyResult, AnyStudy } from '../study/study.ts'

/** The findings of a study, with those that hold for every study: whether they say anything, and unlike promises of the stores. */
export function findingsOf({ report }: Pick<AnyStudy, 'report'>, result: AnyResult): readonly string[] {
  const found = report.findings(result)
  const promises = durabilitiesOf(result)
  const subject = result.stores.length === 1 ? 'the store' : 'the stores'
  return [
    ...(result.status === 'invalid'
      ? [`The run is invalid, so its figures say nothing about ${subject}.`]
      : []),
    ...found,
    ...(promises === undefined || found.includes(promises) ? [] : [promises]),
  ]
}
