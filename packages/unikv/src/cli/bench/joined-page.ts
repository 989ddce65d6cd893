import { stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { AnyResult } from '@unikv/bench'
import {
  type ComparableResult,
  compareResults,
  comparisonFindings,
  type DrivenBody,
  joinedResult,
} from '@unikv/bench/driven'
import { reportPage } from '@unikv/bench/report'
import { StoreError } from '@unikv/core'
import { makeOutputFolder } from '../output-folder.ts'
import { comparedStudy, nameOf } from './compare-folders.ts'
import { readResult } from './read-result.ts'

type Driven = ComparableResult & DrivenBody

/**
 * Write one page of several results, with what a comparison of them finds.
 *
 * @returns its path
 * @throws {StoreError} `INVALID_ARGUMENT` if they are not of one study that drives stores, or if the folder holds a result
 */
export async function writeJoinedPage(places: readonly string[], folder: string): Promise<string> {
  const twice = places.find((place, index) => places.indexOf(place) < index)
  if (twice !== undefined)
    throw new StoreError('INVALID_ARGUMENT', `${twice} is given twice. Name each result once.`)
  const study = await comparedStudy(places[0] as string)
  const read = async (place: string): Promise<Driven> => (await readResult(study, place)) as unknown as Driven
  const results = await Promise.all(
    places.map(async (place) => ({ name: nameOf(place), result: await read(place) })),
  )
  if (await holdsResult(folder)) throw holds(folder)
  const alike = (config: never): Readonly<Record<string, unknown>> => study.alike?.(config) ?? {}
  const pairs = compareResults(results, { alike, force: true, partly: true })
  const joined = joinedResult(results) as unknown as AnyResult
  const page = reportPage(study, joined, {
    findings: [...new Set(comparisonFindings(pairs))],
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
