import { stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  compareResults,
  comparisonFindings,
  joinedFindings,
  joinedResult,
  type NamedResult,
  reportPage,
} from '@unikv/bench/report'
import { StoreError } from '@unikv/core'
import { makeOutputFolder } from '../output-folder.ts'
import { namedResults } from './compare-folders.ts'

/**
 * Write one page of several results, with what a comparison of them finds.
 *
 * @returns its path
 * @throws {StoreError} `INVALID_ARGUMENT` if they are not of one study, or if the folder holds a result
 */
export async function writeJoinedPage(places: readonly string[], folder: string): Promise<string> {
  const twice = places.find((place, index) => places.indexOf(place) < index)
  if (twice !== undefined)
    throw new StoreError('INVALID_ARGUMENT', `${twice} is given twice. Name each result once.`)
  const results = await namedResults(places)
  if (await holdsResult(folder)) throw holds(folder)
  const [{ study }] = results as [NamedResult]
  const pairs = compareResults(results, { force: true, partly: true })
  const page = reportPage(study, joinedResult(results), {
    findings: [...new Set([...comparisonFindings(pairs), ...joinedFindings(results)])],
    folders: results.map(({ name }) => name),
  })
  makeOutputFolder(folder, 'report')
  const file = join(folder, 'report.html')
  await writeFile(file, page)
  return file
}

async function holdsResult(folder: string): Promise<boolean> {
  return (await stat(join(folder, 'result.json')).catch(() => undefined)) !== undefined
}

function holds(folder: string): StoreError {
  const message = `${folder} holds a result. Name another folder for the page of several.`
  return new StoreError('INVALID_ARGUMENT', message)
}
