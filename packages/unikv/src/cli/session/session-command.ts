import type { Command } from 'commander'
import { addProgressOptions } from '../bench/progress/progress-options.ts'
import { addDocumentOptions } from '../config/document-options.ts'
import type { Terminal } from '../terminal.ts'
import type { SessionOptions } from './run-jobs.ts'

const examples = `
Data is reached by \`database/access\` of the document: entities in groups (\`entities\`), each entity in a
record of its own with transactions over records (\`transactions\`), or SQL (\`sql\`).

Threads and workers that share the sessions are \`cluster\` of the document. Rates are of interactions
that ended within the time of a run.

Examples:
  $ npx unikv bench session auction.yaml
  $ npx unikv bench session suite.xml --dry-run
  $ npx unikv bench session suite.xml -L jobs=./templates --out results`

/** Add `unikv bench session`: sessions of users, from a document. */
export function sessionCommand(
  command: Command,
  terminal: Terminal,
  finish: (exitCode: number) => void,
): void {
  addDocumentOptions(command)
    .description('run sessions of an application’s users: a document of one job, or of a suite of jobs')
    .argument('<file>', 'the job or suite, in XML, YAML or JSON')
    .option('--dry-run', 'unfold the document, and show its jobs and the time that they take')
    .option('--allow-non-empty', 'allow datasets that hold other records (they are not changed)')
    .option('--again', 'measure jobs again that have a result in the folder')
    .option('--out <dir>', 'folder for the results', 'unikv-bench-session')
  addProgressOptions(command)
    .option('--debug', 'show stack traces')
    .addHelpText('after', examples)
    .action(async (file: string, options: SessionOptions) => {
      const { runJobs } = await import('./run-jobs.ts')
      finish(await runJobs(file, options, terminal))
    })
}
