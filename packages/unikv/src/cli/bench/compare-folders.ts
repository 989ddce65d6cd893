import { maskUrl } from '@unikv/stores/lazy'
import {
  compareResults,
  comparisonFindings,
  comparisonTables,
  hasRegression,
  type NamedResult,
  run,
} from '@unikv/study-run'
import { markdownTable, textTable, wrapped } from '@unikv/workload/report'
import { exitCodes } from '../exit-code.ts'
import { formatOf } from '../output-format.ts'
import type { Terminal } from '../terminal.ts'
import type { CompareCommandOptions } from './compare-command.ts'
import { resultPlace } from './kept-results.ts'
import { readResult } from './read-result.ts'

/** The name of a result; a URL without its password. */
function nameOf(place: string): string {
  return resultPlace(place) === undefined ? place.replace(/\/+$/, '') : maskUrl(place)
}

/** Compare results, print what came of it, and return the exit code. */
export async function compareFolders(
  folders: readonly string[],
  options: CompareCommandOptions,
  { out, width = 80 }: Terminal,
): Promise<number> {
  const format = formatOf(options)
  const results = await Promise.all(
    folders.map(
      async (folder): Promise<NamedResult> => ({
        name: nameOf(folder),
        result: await readResult(run, folder),
      }),
    ),
  )
  const pairs = compareResults(results, { minEffect: options.minEffect / 100, force: options.force })
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
  return options.failOnRegression === true && hasRegression(pairs) ? exitCodes.thresholdCrossed : exitCodes.ok
}
