import { type Command, Option } from 'commander'
import type { Terminal } from '../terminal.ts'
import { addDocumentOptions } from './document-options.ts'
import type { UnfoldCommandOptions } from './unfold-documents.ts'

const examples = `
Examples:
  $ npx unikv config unfold suite.xml -f json
  $ npx unikv config unfold suite.xml -i 0,2..4 -p job -f yaml
  $ npx unikv config unfold suite.xml -L jobs=./templates -o documents
  $ npx unikv config unfold suite.xml --extends-only`

/** Add `unikv config unfold`. `prepared` makes a command print to the terminal. */
export function configCommand(
  command: Command,
  prepared: (command: Command) => Command,
  terminal: Terminal,
): void {
  command.description('work with documents in the configuration language')
  addDocumentOptions(prepared(command.command('unfold')))
    .description('print the documents that a document unfolds into, with everything resolved')
    .argument('<file>', 'the document, in XML, YAML, JSON or properties')
    .addOption(
      new Option('-f, --format <name>', 'format of the output (JSON: a line for each document)')
        .choices(['xml', 'json', 'yaml', 'properties'])
        .default('xml'),
    )
    .option('-i, --index <list>', 'only these documents, counted from 0, such as 1, 0,3 or 2..4')
    .option('-p, --path <path>', 'only the element at this path of each document, such as job/database')
    .option('-o, --out <dir>', 'folder for the documents, a file for each; none of them may be there')
    .option('--extends-only', 'print the document after inheritance, which needs no other file')
    .option('--debug', 'show stack traces')
    .addHelpText('after', examples)
    .action(async (file: string, options: UnfoldCommandOptions) => {
      const { unfoldDocuments } = await import('./unfold-documents.ts')
      await unfoldDocuments(file, options, terminal)
    })
}
