import type { AnyStudy } from '@unikv/bench'
import {
  type ComparableResult,
  compareResults,
  comparisonFindings,
  comparisonTables,
  hasRegression,
  isUntold,
  type NamedResult,
} from '@unikv/bench/driven'
import { studies } from '@unikv/bench/studies'
import { markdownTable, textTable, wrapped } from '@unikv/bench/words'
import { StoreError } from '@unikv/core'
import { exitCodes } from '../exit-code.ts'
import { formatOf } from '../output-format.ts'
import type { Terminal } from '../terminal.ts'
import type { CompareCommandOptions } from './compare-command.ts'
import { resultPlace, shownPlace } from './kept-results.ts'
import { readResult, studyOf } from './read-result.ts'

/** Compare results, print what came of it, and return the exit code. */
export async function compareFolders(
  folders: readonly string[],
  options: CompareCommandOptions,
  { out, error, width = 80 }: Terminal,
): Promise<number> {
  const format = formatOf(options)
  const study = await comparedStudy(folders[0] as string)
  const results = await Promise.all(folders.map((folder) => namedResult(study, folder)))
  const { minEffect, force } = options
  const pairs = compareResults(results, {
    alike: (config) => study.alike?.(config) ?? {},
    minEffect: minEffect / 100,
    force,
  })
  const [tables, found] = [comparisonTables(pairs), comparisonFindings(pairs)]
  if (format === 'json') out(`${JSON.stringify(pairs, null, 2)}\n`)
  else if (format === 'markdown')
    out([...tables.map(markdownTable), ...found.map((one) => `- ${one}\n`)].join('\n'))
  else
    out(
      [
        ...tables.map((table) => textTable(table, width)),
        ...found.map((one) => `${wrapped(`· ${one}`, width, '  ')}\n`),
      ].join('\n'),
    )
  if (options.failOnRegression !== true) return exitCodes.ok
  if (hasRegression(pairs)) return exitCodes.thresholdCrossed
  if (!isUntold(pairs)) return exitCodes.ok
  error(
    'unikv: The results cannot tell whether something became slower: measure again, with three runs or more.\n',
  )
  return exitCodes.runInvalid
}

/** The study of the first result, with which the others are compared. */
export async function comparedStudy(folder: string): Promise<AnyStudy> {
  const study = await studyOf(studies, folder)
  if (study.alike !== undefined) return study
  const all = await Promise.all(studies.map(({ load }) => load()))
  const names = all.filter((one) => one.alike !== undefined).map(({ name }) => `bench ${name}`)
  const message = `${shownPlace(folder)} is a result of bench ${study.name}; only those of ${names.join(', ')} can be compared.`
  throw new StoreError('INVALID_ARGUMENT', message)
}

async function namedResult(study: AnyStudy, folder: string): Promise<NamedResult> {
  return { name: nameOf(folder), result: (await readResult(study, folder)) as unknown as ComparableResult }
}

/** The name of a result; a URL without its password. */
export function nameOf(place: string): string {
  return resultPlace(place) === undefined ? place.replace(/\/+$/, '') : shownPlace(place)
}
