import type { AnyStudy } from '@unikv/bench'
import { maskArguments } from '@unikv/stores/lazy'
import { Command, CommanderError } from 'commander'
import { withArgumentsFile } from './arguments-file.ts'
import type { BenchOptions } from './bench/bench-request.ts'
import { checkCommand } from './check/check-command.ts'
import { completionCommand } from './completion/completion-command.ts'
import { configCommand } from './config/config-command.ts'
import { withConfigFile } from './config-file.ts'
import { copyCommands } from './copy/copy-commands.ts'
import { dashboardCommand } from './dashboard/dashboard-command.ts'
import { dataCommands } from './data/data-commands.ts'
import { dictionaryCommand } from './dictionary/dictionary-command.ts'
import { evaluateCommand } from './evaluate/evaluate-command.ts'
import { exitCodeOf, exitCodes } from './exit-code.ts'
import { mcpCommand } from './mcp/mcp-command.ts'
import { monitorCommand } from './monitor/monitor-command.ts'
import { refuseRepeated, refuseUnknownHelp, takesJson } from './option-values.ts'
import { printable } from './printable.ts'
import { serveCommand } from './serve/serve-command.ts'
import { storesCommand } from './stores/stores-command.ts'
import type { Terminal } from './terminal.ts'
import { tuneCommand } from './tune/tune-command.ts'
import { ownVersion } from './versions.ts'

/** The command line: parse, load what the command needs, run, and turn the outcome into an exit code and, if it failed, one clear sentence. */
export async function run(given: Terminal): Promise<number> {
  // The code that rejects a URL in the wrong place repeats it.
  let args = given.arguments
  let named = (text: string): string => text
  let terminal: Terminal = { ...given, error: (text) => given.error(maskArguments(args, named(text))) }
  let exitCode: number = exitCodes.ok
  try {
    args = await withArgumentsFile(args)
    terminal = { ...terminal, arguments: args }
    const runStudy: RunStudy = async (study, options) => {
      const { runStudyOf } = await import('./bench/run-study-of.ts')
      exitCode = await runStudyOf(study, options, terminal)
    }
    const program = await commands(terminal, runStudy, (code) => void (exitCode = code))
    refuseUnknownHelp(program, args)
    if (args[0] === 'bench')
      ({ args, named } = await withConfigFile(args, (option) => takesJson(program, args, option)))
    await program.parseAsync(args, { from: 'user' })
    return exitCode
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.wrongUse
    const { describe } = await import('./failure-text.ts')
    const told = `unikv: ${describe(error, terminal.arguments.includes('--debug'))}\n`
    terminal.error(printable(told, terminal.width))
    return exitCodeOf(error)
  }
}

type RunStudy = (study: AnyStudy, options: BenchOptions) => Promise<void>

async function commands(
  terminal: Terminal,
  runStudy: RunStudy,
  finish: (exitCode: number) => void,
): Promise<Command> {
  const program = prepared(new Command('unikv'), terminal)
    .description('Measure, compare, watch and use data stores.')
    .version(ownVersion(), '-V, --version')
  const own = (command: Command): Command => prepared(command, terminal)
  const bench = own(program.command('bench')).description('measure stores')
  // Studies and what they measure are loaded when they may be asked for.
  if (['bench', 'completion'].some((name) => terminal.arguments.includes(name))) {
    const { benchCommand } = await import('./bench/bench-command.ts')
    const { compareCommand, reportCommand } = await import('./bench/result-commands.ts')
    const { migrationCommand } = await import('./migration/migration-command.ts')
    const { workerCommand } = await import('./bench/worker-command.ts')
    const { sessionCommand } = await import('./session/session-command.ts')
    const named = terminal.arguments
    await benchCommand(bench, own, runStudy, (name) =>
      ['completion', name].some((one) => named.includes(one)),
    )
    workerCommand(own(bench.command('worker')), terminal, finish)
    reportCommand(own(bench.command('report')), terminal)
    migrationCommand(own(bench.command('migration')), terminal)
    sessionCommand(own(bench.command('session')), terminal, finish)
    compareCommand(own(bench.command('compare')), terminal, finish)
  }
  evaluateCommand(own(program.command('evaluate')), terminal, finish)
  storesCommand(own(program.command('stores')), own, terminal)
  dataCommands(program, own, terminal, finish)
  copyCommands(program, own, terminal, finish)
  checkCommand(own(program.command('check')), terminal, finish)
  configCommand(own(program.command('config')), own, terminal)
  monitorCommand(own(program.command('monitor')), terminal)
  dashboardCommand(own(program.command('dashboard')), terminal)
  mcpCommand(own(program.command('mcp')), terminal)
  serveCommand(own(program.command('serve')), terminal)
  tuneCommand(own(program.command('tune')), own, terminal)
  dictionaryCommand(own(program.command('dictionary')), own, terminal)
  completionCommand(own(program.command('completion')), program, terminal)
  refuseRepeated(program)
  return program
}

/** Errors go to the terminal, and to `run` as an exception instead of ending the process. */
function prepared(command: Command, { out, error }: Terminal): Command {
  return command
    .exitOverride()
    .configureOutput({ writeOut: out, writeErr: error })
    .showSuggestionAfterError(true)
}
