import { join } from 'node:path'
import { StoreError } from '@unikv/core'
import { checkResultFolder, writeResultFolder } from '@unikv/workload/report'
import type { Command } from 'commander'
import type { Terminal } from '../terminal.ts'
import { resultPlace } from './kept-results.ts'
import { readResult, studyOf } from './read-result.ts'
import { studies } from './studies.ts'

/** Add `bench report`: pages and columns of results, made again from their `result.json`. */
export function reportCommand(command: Command, { out }: Terminal): void {
  command
    .description('make the pages and columns of results again from their result.json')
    .argument('<folders...>', 'result folders; or the URL of one result that a store keeps, with --out')
    .option('--out <dir>', 'folder for the page of a result that a store keeps')
    .option('--debug', 'show stack traces')
    .action(async (places: readonly string[], options: { readonly out?: string }) => {
      for (const place of places) {
        const folder = folderOf(place, places, options.out)
        const study = await studyOf(studies, place)
        if (folder !== place) await checkResultFolder(study, folder)
        await writeResultFolder(study, folder, await readResult(study, place))
        out(`Report: ${join(folder, 'report.html')}\n`)
      }
    })
}

/** Where the page of a result goes. */
function folderOf(place: string, places: readonly string[], out: string | undefined): string {
  const isKept = resultPlace(place) !== undefined
  if (isKept && (out === undefined || places.length > 1))
    throw new StoreError(
      'INVALID_ARGUMENT',
      'Name one result of a store, and its folder: bench report URL --out DIR.',
    )
  if (!isKept && out !== undefined)
    throw new StoreError(
      'INVALID_ARGUMENT',
      '--out is for the URL of a result: pages of folders are made where they lie.',
    )
  if (!isKept && place.endsWith('.json'))
    throw new StoreError('INVALID_ARGUMENT', `${place} is a file: name the folder in which it lies.`)
  return out ?? place
}
