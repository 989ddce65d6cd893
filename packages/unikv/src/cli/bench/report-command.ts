import type { Command } from 'commander'
import type { Terminal } from '../terminal.ts'

/** Add `bench report`: pages and columns of results, made again from their `result.json`. */
export function reportCommand(command: Command, terminal: Terminal): void {
  command
    .description('make the pages and columns of results again, or with --out one page of several')
    .argument('<folders...>', 'result folders; with --out also URLs of results that stores keep')
    .option('--out <dir>', 'folder for one page of several results, or for that of one that a store keeps')
    .option('--debug', 'show stack traces')
    .action(async (places: readonly string[], options: { readonly out?: string }) => {
      const { reportFolders } = await import('./report-folders.ts')
      await reportFolders(places, options.out, terminal)
    })
}
