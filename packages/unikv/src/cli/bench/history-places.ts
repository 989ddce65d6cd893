import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { StoreError } from '@unikv/core'
import { KeptResults, resultPlace } from './kept-results.ts'

/**
 * The results of a history: each place is a result, a folder of result folders, or a store that keeps results.
 *
 * @throws {StoreError} `INVALID_ARGUMENT` if a place has none
 */
export async function historyPlaces(places: readonly string[]): Promise<readonly string[]> {
  const found = await Promise.all(places.map(resultsIn))
  return found.flat()
}

async function resultsIn(place: string): Promise<readonly string[]> {
  const kept = resultPlace(place)
  if (kept !== undefined) return kept.name === undefined ? keptIn(place) : [place]
  const isFolder = (await stat(place).catch(() => undefined))?.isDirectory() === true
  if (!isFolder || (await isResult(place))) return [place]
  const inside = (await readdir(place)).toSorted().map((name) => join(place, name))
  const isOne = await Promise.all(inside.map(isResult))
  const results = inside.filter((_, i) => isOne[i])
  if (results.length > 0) return results
  throw new StoreError('INVALID_ARGUMENT', `${place} holds no folders with results.`)
}

async function isResult(folder: string): Promise<boolean> {
  return (await stat(join(folder, 'result.json')).catch(() => undefined)) !== undefined
}

async function keptIn(place: string): Promise<readonly string[]> {
  const kept = await KeptResults.open(place)
  try {
    return (await kept.names()).map((name) => `${place.replace(/#$/, '')}#${name}`)
  } finally {
    await kept.close()
  }
}
