import { join } from 'node:path'
import { checkResultFolder, writeResultFolder } from '@unikv/bench/report'
import { StoreError } from '@unikv/core'
import type { Command } from 'commander'
import type { Terminal } from '../terminal.ts'
import { writeJoinedPage } from './joined-page.ts'
import { resultPlace } from './kept-results.ts'
import { readResult, studyOf } from './read-result.ts'
import { readableStudies } from './studies.ts'

/** Add `bench report`: pages and columns of results, made again from their `result.json`. */
export function reportCommand(command: Command, { out }: Terminal): void {
  command
    .description('make the pages and columns of results again, or with --out one page of several')
    .argument('<folders...>', 'result folders; with --out also URLs of results that stores keep')
    .option('--out <dir>', 'folder for one page of several results, or for that of one that a store keeps')
    .option('--debug', 'show stack traces')
    .action(async (places: readonly string[], options: { readonly out?: string }) => {
      if (places.length > 1 && options.out !== undefined) {
        out(`Report: ${await writeJoinedPage(places, options.out)}\n`)
        return
      }
      for (const place of places) {
        const folder = folderOf(place, options.out)
        const study = await studyOf(readableStudies, place)
        if (folder !== place) await checkResultFolder(study, folder)
        await writeResultFolder(study, folder, await readResult(study, place))
        out(`Report: ${join(folder, 'report.html')}\n`)
      }
    })
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
