import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type AnyStudy, runCommand } from '@unikv/bench'
import { comparisonOfSides, type NamedResult } from '@unikv/bench/report'
import { documentStudies, studies } from '@unikv/bench/studies'
import { StoreError } from '@unikv/core'
import { AbortController } from '@unikv/core/platform'
import { exitCodes } from '../exit-code.ts'
import { makeOutputFolder } from '../output-folder.ts'
import type { Terminal } from '../terminal.ts'
import type { BenchRequest } from './bench-request.ts'
import { exitCodeOf, printed } from './compare-folders.ts'
import { readResult, studyOf } from './read-result.ts'

/** The options of a run beside a baseline. */
export interface AgainstOptions {
  /** A command, a result folder, or the URL of a result that a store keeps. */
  readonly against: string
  /** @default 10 */
  readonly turns?: number
  readonly failOnRegression?: boolean
  readonly minEffect?: number
}

/** A command of `unikv bench`, in a process of its own for each turn. */
interface Measured {
  readonly name: 'base' | 'new'
  /** As a shell takes it, but for the folder of its results. */
  readonly command: string
}

/** Options that each turn has anew, or that belong to all turns together; those of the second list take no value. */
const valued = ['against', 'turns', 'out', 'results', 'format', 'progress']
const plain = ['fail-on-regression', 'json', 'markdown', 'quiet', 'debug']

/**
 * Measure a baseline and this command by turns, each in a process of its own, and compare them in pairs: what changes slowly on the machine
 * is the same for both of a pair, and what differs between invocations is in the scatter of pairs. Returns the exit code.
 */
export async function runAgainst(
  request: BenchRequest,
  options: AgainstOptions,
  terminal: Terminal,
): Promise<number> {
  if (request.results !== undefined)
    throw wrong('--results keeps one result; the results of turns are in the folder of --out')
  const { study, out, isQuiet, format } = request
  const { turns = 10 } = options
  const runs = terminal.arguments.some((arg) => /^--runs(=|$)/.test(arg)) ? request.config.runs : 1
  const sides: readonly Measured[] = [
    { name: 'base', command: withRuns(await baseCommand(options.against), runs) },
    { name: 'new', command: withRuns(ownCommand(terminal.arguments), runs) },
  ]
  makeOutputFolder(out, 'results')
  const abort = new AbortController()
  terminal.onInterrupt(() => abort.abort())
  const found: Record<Measured['name'], NamedResult[]> = { base: [], new: [] }
  for (let turn = 1; turn <= turns && !abort.signal.aborted; turn++) {
    if (!isQuiet) terminal.error(`Turn ${turn} of ${turns}\n`)
    const own = { base: folderOf(out, turn, 'base'), new: folderOf(out, turn, 'new') }
    // The second one of a turn finds a warmer machine: each is second half of the time.
    for (const side of turn % 2 === 1 ? sides : sides.toReversed())
      if (!abort.signal.aborted) await measure(side, own[side.name], turn, abort.signal)
    if (abort.signal.aborted) break
    // A command that leaves no result of this study is told after one turn, and not after all of them.
    const [base, other] = await Promise.all([named(study, own.base), named(study, own.new)])
    found.base.push(base)
    found.new.push(other)
  }
  if (found.new.length === 0) return interrupted(terminal)
  const minEffect = (options.minEffect ?? 3) / 100
  const compared = comparisonOfSides(found.base, found.new, { inTurn: true, force: true, minEffect })
  terminal.out(printed(compared, typeof format === 'object' ? 'text' : format, terminal.width))
  return abort.signal.aborted ? interrupted(terminal) : exitCodeOf(compared, options, terminal)
}

function folderOf(out: string, turn: number, name: Measured['name']): string {
  return join(out, `${String(turn).padStart(2, '0')}-${name}`)
}

/** The baseline as a command: that of a result is run by this unikv. */
async function baseCommand(against: string): Promise<string> {
  if (/\s/.test(against.trim())) return against
  const study = await studyOf([...studies, ...documentStudies], against)
  const { command } = await readResult(study, against)
  if (command?.startsWith('npx unikv ') !== true)
    throw wrong(`${against} does not say by which command it was made; write the command in quotes`)
  return `${self()}${command.slice('npx unikv'.length)}`
}

function ownCommand(args: readonly string[]): string {
  if (!args.some((arg) => /^--against(=|$)/.test(arg))) throw wrong('--against belongs on the command line')
  return [self(), ...args.map(quoted)].join(' ')
}

/** This program, as a shell takes it. */
function self(): string {
  const program = fileURLToPath(new URL('../../../bin/unikv.js', import.meta.url))
  return [process.execPath, program].map(quoted).join(' ')
}

/** Without the options that turns have anew. */
function withRuns(command: string, runs: number): string {
  const value = String.raw`(?:'(?:[^']|'\\'')*'|"[^"]*"|\S+)`
  const own = new RegExp(
    String.raw`\s--(?:(?:${[...valued, 'runs'].join('|')})(?:=|\s+)${value}|(?:${plain.join('|')})(?=\s|$)|dashboard(?:(?:=|\s+)\d+)?(?=\s|$))`,
    'g',
  )
  return `${command.replace(own, '')} --runs ${runs} --quiet`
}

function quoted(arg: string): string {
  return /^[\w@%+=:,./-]+$/.test(arg) ? arg : `'${arg.replaceAll("'", String.raw`'\''`)}'`
}

/** One invocation. A threshold that it crosses is told by its result. */
async function measure(
  { name, command }: Measured,
  folder: string,
  turn: number,
  signal: AbortSignal,
): Promise<void> {
  const { problem, complaint } = await runCommand(`${command} --out ${quoted(resolve(folder))}`, {
    signal,
    longestMs: Number.POSITIVE_INFINITY,
  })
  if (problem === undefined || signal.aborted || problem.endsWith(` ${exitCodes.thresholdCrossed}`)) return
  const told = complaint === '' ? '' : `: ${complaint.replace(/^unikv: /, '')}`
  throw new StoreError('INVALID_ARGUMENT', `Turn ${turn} of ${name} ${problem}${told === '' ? '.' : told}`)
}

async function named(study: AnyStudy, folder: string): Promise<NamedResult> {
  return { name: folder, study, result: await readResult(study, folder) }
}

function interrupted(terminal: Terminal): number {
  terminal.error('Interrupted: the folders hold the turns finished so far.\n')
  return exitCodes.interrupted
}

function wrong(what: string): StoreError {
  return new StoreError('INVALID_ARGUMENT', `${what}.`)
}
