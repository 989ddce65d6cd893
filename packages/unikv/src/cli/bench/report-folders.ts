import { join } from 'node:path'
import { checkResultFolder, writeResultFolder } from '@unikv/bench/report'
import { documentStudies, studies } from '@unikv/bench/studies'
import { StoreError } from '@unikv/core'
import type { Terminal } from '../terminal.ts'
import { writeJoinedPage } from './joined-page.ts'
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
    await writeResultFolder(study, folder, await readResult(study, place))
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
