import type { Command } from 'commander'
import { addProgressOptions } from '../bench/progress/progress-options.ts'
import { printable } from '../printable.ts'
import type { Terminal } from '../terminal.ts'
import type { EvaluateOptions } from './evaluate.ts'

const examples = `
Examples:
  $ npx unikv evaluate evaluation.yaml --dry-run
  $ npx unikv evaluate evaluation.yaml --out results
  $ npx unikv evaluate evaluation.yaml --facts our-stores.yaml`

/** Add `unikv evaluate`: which store serves an application. */
export function evaluateCommand(
  command: Command,
  terminal: Terminal,
  finish: (exitCode: number) => void,
): void {
  command
    .description('find the store that serves an application, by its own scenarios and workload')
    .argument('<file>', 'the evaluation: candidates, requirements, workload and scenarios, in YAML or JSON')
    .option('--dry-run', 'screen the candidates, and show the plan and the time that it takes')
    .option('--facts <file>', 'facts about stores of your own, in YAML or JSON')
    .option('--allow-non-empty', 'allow datasets that hold other records (they are not changed)')
    .option('--out <dir>', 'folder for the results', 'unikv-evaluation')
    .option('--results <url>', 'store that keeps the result, too, such as redis://127.0.0.1#baseline')
    .option('--json', 'print the full result as JSON')
    .option('--markdown', 'print the tables as Markdown')
  addProgressOptions(command)
    .option('--debug', 'show stack traces')
    .addHelpText('after', examples)
    .action(async (file: string, options: EvaluateOptions) => {
      const { checkFits, checkMeasured, evaluationRequest } = await import('./evaluate.ts')
      const request = await evaluationRequest(file, options)
      if (options.dryRun === true) {
        const { planText } = await import('./plan-text.ts')
        terminal.out(printable(planText(request, terminal.width), terminal.width))
        return checkFits(request)
      }
      checkMeasured(request)
      const { runBench } = await import('../bench/run-bench.ts')
      finish(await runBench(request, terminal))
    })
}
