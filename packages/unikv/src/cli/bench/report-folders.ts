import { stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { checkResultFolder, joinedPage, writeResultFolder } from '@unikv/bench/report'
import { documentStudies, studies } from '@unikv/bench/studies'
import { isStoreError, StoreError } from '@unikv/core'
import { makeOutputFolder, unwritable } from '../output-folder.ts'
import type { Terminal } from '../terminal.ts'
import { different, namedResults } from './compare-folders.ts'
import { resultPlace } from './kept-results.ts'
import { readResult, studyOf } from './read-result.ts'

/** Make the pages of results again, or one page of several. */
export async function reportFolders(
  places: readonly string[],
  out: string | undefined,
  terminal: Pick<Terminal, 'out'>,
): Promise<void> {
  if (places.length > 1 && out !== undefined) {
    terminal.out(`Report: ${await writeJoinedPage(places, out)}\n`)
    return
  }
  for (const place of places) {
    const folder = folderOf(place, out)
    const study = await studyOf([...studies, ...documentStudies], place)
    if (folder !== place) await checkResultFolder(study, folder)
    const result = await readResult(study, place)
    await writeResultFolder(study, folder, result).catch((error: NodeJS.ErrnoException) => {
      throw isStoreError(error) ? error : unwritable(join(folder, 'report.html'), error)
    })
    terminal.out(`Report: ${join(folder, 'report.html')}\n`)
  }
}

/** Where the page of a result goes. */
function folderOf(place: string, out: string | undefined): string {
  const isKept = resultPlace(place) !== undefined
  if (isKept && out === undefined)
    throw new StoreError(
      'INVALID_ARGUMENT',
      'A result of a store needs a folder for its page: bench report URL --out DIR.',
    )
  if (!isKept && out !== undefined)
    throw new StoreError(
      'INVALID_ARGUMENT',
      '--out is for the URL of a result, or for several results: the page of one folder is made where it lies.',
    )
  if (!isKept && place.endsWith('.json'))
    throw new StoreError('INVALID_ARGUMENT', `${place} is a file: name the folder in which it lies.`)
  return out ?? place
}

/**
 * Write one page of several results, with what a comparison of them finds.
 *
 * @returns its path
 * @throws {StoreError} `INVALID_ARGUMENT` if they are not of one study, or if the folder holds a result
 */
async function writeJoinedPage(places: readonly string[], folder: string): Promise<string> {
  const results = different(await namedResults(places))
  if (await holdsResult(folder)) throw holds(folder)
  const page = joinedPage(results)
  makeOutputFolder(folder, 'report')
  const file = join(folder, 'report.html')
  await writeFile(file, page).catch((error: NodeJS.ErrnoException) => {
    throw unwritable(file, error)
  })
  return file
}

async function holdsResult(folder: string): Promise<boolean> {
  return (await stat(join(folder, 'result.json')).catch(() => undefined)) !== undefined
}

function holds(folder: string): StoreError {
  const message = `${folder} holds a result. Name another folder for the page of several.`
  return new StoreError('INVALID_ARGUMENT', message)
}
