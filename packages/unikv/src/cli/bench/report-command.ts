import { join } from 'node:path'
import { StoreError } from '@unikv/core'
import { writeResultFolder } from '@unikv/workload/report'
import type { Command } from 'commander'
import type { Terminal } from '../terminal.ts'
import { readResult, studyOf } from './read-result.ts'
import { studies } from './studies.ts'

/** Add `bench report`: pages and columns of results, made again from their `result.json`. */
export function reportCommand(command: Command, { out }: Terminal): void {
  command
    .description('make the pages and columns of results again from their result.json')
    .argument('<folders...>', 'result folders')
    .option('--debug', 'show stack traces')
    .action(async (folders: readonly string[]) => {
      for (const folder of folders) {
        if (folder.endsWith('.json'))
          throw new StoreError('INVALID_ARGUMENT', `${folder} is a file: name the folder in which it lies.`)
        const study = await studyOf(studies, folder)
        await writeResultFolder(study, folder, await readResult(study, folder))
        out(`Report: ${join(folder, 'report.html')}\n`)
      }
    })
}
