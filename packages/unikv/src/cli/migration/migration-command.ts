import type { Command } from 'commander'
import { sectionsMarkdown, sectionsText } from '../columns.ts'
import { formatOf } from '../output-format.ts'
import type { Terminal } from '../terminal.ts'

interface MigrationOptions {
  readonly json?: boolean
  readonly markdown?: boolean
}

const examples = `
Examples:
  $ npx unikv bench migration redis=server.ts,redis.ts postgres=server.ts,postgres.ts
  $ npx unikv bench migration redis=src,redis.yaml postgres=src,postgres.yaml --markdown`

/** Add `bench migration`. */
export function migrationCommand(command: Command, terminal: Terminal): void {
  command
    .description('count the lines that change when an application moves from one store to another')
    .argument('<prototypes...>', 'NAME=PATH,PATH…: the files and folders of the application for each store')
    .option('--json', 'print JSON')
    .option('--markdown', 'print Markdown')
    .option('--debug', 'show stack traces')
    .addHelpText('after', examples)
    .action(async (given: readonly string[], options: MigrationOptions) => {
      const format = formatOf(options)
      const { migrationSections, measuredMigration } = await import('./migration.ts')
      const cost = await measuredMigration(given)
      if (format === 'json') return terminal.out(`${JSON.stringify(cost, null, 2)}\n`)
      const sections = migrationSections(cost)
      terminal.out(
        format === 'markdown' ? sectionsMarkdown(sections) : sectionsText(sections, terminal.width),
      )
    })
}
