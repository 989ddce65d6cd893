import {
  type Comparison,
  comparison,
  comparisonMarkdown,
  comparisonOfSides,
  comparisonOverTime,
  type NamedResult,
} from '@unikv/bench/report'
import { documentStudies, studies } from '@unikv/bench/studies'
import { textTable, wrapped } from '@unikv/bench/words'
import { StoreError } from '@unikv/core'
import { exitCodes } from '../exit-code.ts'
import { formatOf, type OutputFormat } from '../output-format.ts'
import type { Terminal } from '../terminal.ts'
import { historyPlaces } from './history-places.ts'
import { resultPlace, shownPlace } from './kept-results.ts'
import { readResult, studyOf } from './read-result.ts'
import type { CompareCommandOptions } from './result-commands.ts'

/** Compare results, print what came of it, and return the exit code. */
export async function compareFolders(
  folders: readonly string[],
  options: CompareCommandOptions,
  terminal: Terminal,
): Promise<number> {
  if (options.history === true) return compareHistory(folders, options, terminal)
  const results = await namedResults(folders)
  return told(comparisonOf(results, sidesIn(folders, terminal.arguments), options), options, terminal)
}

/** Find the points in time at which something changed. */
async function compareHistory(
  places: readonly string[],
  options: CompareCommandOptions,
  terminal: Terminal,
): Promise<number> {
  const results = different(await namedResults(await historyPlaces(places)))
  const found = comparisonOverTime(results, { minEffect: options.minEffect / 100, force: options.force })
  return told(found, options, terminal)
}

/** Print a comparison, and return the exit code. */
function told(found: Comparison, options: CompareCommandOptions, terminal: Terminal): number {
  terminal.out(printed(found, formatOf(options), terminal.width))
  return exitCodeOf(found, options, terminal)
}

/** The results of a study, under the names of their places. */
export async function namedResults(places: readonly string[]): Promise<readonly NamedResult[]> {
  const all = [...studies, ...documentStudies]
  const study = await studyOf(all, places[0] as string)
  return Promise.all(
    places.map(async (place) => ({ name: nameOf(place), study, result: await readResult(study, place) })),
  )
}

/**
 * A copy of a result does not count as a second invocation.
 *
 * @throws {StoreError} `INVALID_ARGUMENT` naming both places
 */
export function different(results: readonly NamedResult[]): readonly NamedResult[] {
  for (const [at, { name, result }] of results.entries()) {
    const first = results.slice(0, at).find((one) => one.result.runId === result.runId)
    if (first === undefined) continue
    const same =
      first.name === name ? `${name} is given twice` : `${first.name} and ${name} are the same result`
    throw new StoreError('INVALID_ARGUMENT', `${same} (run ${result.runId}): give each result once.`)
  }
  return results
}

/** How many of the places stand before `--`, which commander takes away; `undefined` without it. */
function sidesIn(places: readonly string[], given: readonly string[]): number | undefined {
  const at = given.lastIndexOf('--')
  return at < 0 ? undefined : places.length - (given.length - at - 1)
}

function comparisonOf(
  results: readonly NamedResult[],
  split: number | undefined,
  { minEffect, between, force, inTurn }: CompareCommandOptions,
): Comparison {
  const options = { minEffect: minEffect / 100, between: between / 100, force, inTurn }
  if (split === undefined) {
    if (inTurn === true) throw wrongSides('--in-turn is for invocations of two sides')
    return comparison(results, options)
  }
  const [base, other] = [results.slice(0, split), results.slice(split)]
  if (base.length === 0 || other.length === 0) throw wrongSides('A side has no result')
  if (inTurn === true && base.length !== other.length)
    throw wrongSides(`--in-turn needs as many results of either side, not ${base.length} and ${other.length}`)
  different(results)
  return comparisonOfSides(base, other, options)
}

function wrongSides(what: string): StoreError {
  return new StoreError('INVALID_ARGUMENT', `${what}. Write them like A1 A2 A3 -- B1 B2 B3.`)
}

/** A comparison in the form that was asked for. */
export function printed(found: Comparison, format: OutputFormat, width: number | undefined = 80): string {
  const { tables, findings, data } = found
  if (format === 'json') return `${JSON.stringify(data, null, 2)}\n`
  if (format === 'markdown') return comparisonMarkdown(found)
  return [
    ...tables.map((table) => textTable(table, width)),
    ...findings.map((one) => `${wrapped(`· ${one}`, width, '  ')}\n`),
  ].join('\n')
}

/** 3 if something became worse and 4 if the results cannot tell, where that was asked for. */
export function exitCodeOf(
  found: Pick<Comparison, 'isWorse' | 'isUntold'>,
  { failOnRegression, history }: Pick<CompareCommandOptions, 'failOnRegression' | 'history'>,
  { error }: Pick<Terminal, 'error'>,
): number {
  if (failOnRegression !== true) return exitCodes.ok
  if (found.isWorse) return exitCodes.thresholdCrossed
  if (!found.isUntold) return exitCodes.ok
  const why =
    history === true
      ? 'with 16 results or more'
      : 'measure again, with three runs or more, or several times (A1 A2 A3 -- B1 B2 B3)'
  error(`unikv: The results cannot tell whether something became slower: ${why}.\n`)
  return exitCodes.runInvalid
}

/** The name of a result; a URL without its password. */
function nameOf(place: string): string {
  return resultPlace(place) === undefined ? place.replace(/\/+$/, '') : shownPlace(place)
}
