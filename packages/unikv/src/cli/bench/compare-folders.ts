import { readFile, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { StoreError } from '@unikv/core'
import {
  compareResults,
  comparisonFindings,
  comparisonTables,
  hasRegression,
  type NamedResult,
  run,
} from '@unikv/study-run'
import { markdownTable, parseResult, textTable, wrapped } from '@unikv/workload/report'
import { exitCodes } from '../exit-code.ts'
import { formatOf } from '../output-format.ts'
import type { Terminal } from '../terminal.ts'
import type { CompareCommandOptions } from './compare-command.ts'

/** Compare results, print what came of it, and return the exit code. */
export async function compareFolders(
  folders: readonly string[],
  options: CompareCommandOptions,
  { out, width = 80 }: Terminal,
): Promise<number> {
  const format = formatOf(options)
  const results = await Promise.all(folders.map(resultIn))
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

/** The result of a folder, named as it was given. */
async function resultIn(place: string): Promise<NamedResult> {
  const isFolder = (await stat(place).catch(() => undefined))?.isDirectory() === true
  const file = isFolder ? join(place, 'result.json') : place
  const text = await readFile(file, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    const message = `${place} holds no result of unikv bench run (${cause.code} of ${resolve(file)}).`
    throw new StoreError('INVALID_ARGUMENT', message, { cause })
  })
  try {
    return { name: place.replace(/\/+$/, ''), result: parseResult(run, text) }
  } catch (cause) {
    throw new StoreError('INVALID_ARGUMENT', `${file} is not a result of unikv bench run.`, { cause })
  }
}
