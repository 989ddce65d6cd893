import { join } from 'node:path'
import { distanceOf } from '../relay/distant.ts'
import type { Distance } from '../relay/relay.ts'
import { markdownOf, markdownText, textOf } from '../report/report-table.ts'
import { formatMs, wrapped } from '../report/words.ts'
import { durabilitiesOf, promiseOf } from '../run/result.ts'
import { commandOf } from '../study/result-file.ts'
import type { AnyResult, AnyStudy } from '../study/study.ts'
import type { SetupLine } from '../study/study-report.ts'

/** The file with the arguments of a long command. */
export const argumentsName = 'repeat.txt'
/** Four lines of a terminal. A longer command is in a file. */
const longestCommand = 320

/** The arguments of a command that would fill a screen, as `unikv @FILE` takes them; `undefined` of a shorter one. */
export function longArguments({ command }: AnyResult): string | undefined {
  const program = 'npx unikv '
  if (command === null || command.length <= longestCommand || !command.startsWith(program)) return undefined
  return `${command.slice(program.length)}\n`
}

/**
 * The result as text for a terminal: what was measured where, tables, then what they show.
 *
 * @param width columns of the terminal; wider tables are folded. Default 80
 * @param folder gets the files of the result: a long command is named by its file there
 */
export function textReport(study: AnyStudy, result: AnyResult, width = 80, folder?: string): string {
  const { report } = study
  const command =
    folder === undefined || longArguments(result) === undefined
      ? result.command
      : `npx unikv @${join(folder, argumentsName)}`
  const setup = setupLines(study, { ...result, command }).map(([name, value]) =>
    wrapped(`${name}: ${value}`, width, '  '),
  )
  const shown = findingsOf(study, result).map((finding) => wrapped(`· ${finding}`, width, '  '))
  return [
    `${setup.join('\n')}\n`,
    ...report.summary(result).map((table) => textOf(table, width)),
    ...(shown.length === 0 ? [] : [`${shown.join('\n')}\n`]),
  ].join('\n')
}

/** The same as GitHub-flavored Markdown, for a design document. */
export function markdownReport(study: AnyStudy, result: AnyResult): string {
  const { report } = study
  const setup = setupLines(study, result).map(([title, value]) => `- ${title}: ${markdownText(value)}`)
  const shown = findingsOf(study, result).map((finding) => `- ${markdownText(finding)}`)
  return [
    `# ${commandOf(study)}: ${result.stores.map((store) => store.name).join(', ')}`,
    ...(shown.length === 0 ? [] : ['## What this run shows', `${shown.join('\n')}`]),
    '## Measurements',
    ...report.summary(result).map((table) => markdownOf(table).trimEnd()),
    '## Setup',
    `${setup.join('\n')}\n`,
  ].join('\n\n')
}

/** The setup of a result: servers and their settings, data, machine, versions, and how to repeat it. */
export function setupLines({ report }: AnyStudy, result: AnyResult): readonly SetupLine[] {
  const { config, environment: machine, versions, data, stores, runId, command } = result
  return [
    ...stores.map(
      (store): SetupLine => [
        `store ${store.name}`,
        `${store.url}; ${serverText(store.server)}${distanceText(distanceOf(config, store.name))}; writes are ${promiseOf(store).words}`,
      ],
    ),
    ['data', `${report.dataOf?.(result) ?? data.description}; seed ${config.seed}`],
    ...report.setup(result),
    [
      'machine',
      `${machine.cpu}, ${machine.cores} cores, ${memoryText(machine.memoryBytes)} memory, ${machine.platform} ${machine.release} ${machine.architecture}, Node.js ${machine.node}`,
    ],
    ['versions', pairs(versions)],
    ['run', runId],
    ...(command === null ? [] : [['repeat', command] as const]),
  ]
}

/** A proxy stood before the server. */
function distanceText(distance: Distance | undefined): string {
  if (distance === undefined) return ''
  const { delayMs, mbits } = distance
  const late = delayMs === 0 ? '' : `, answers ${formatMs(delayMs)} later by a proxy`
  return `${late}${mbits === null ? '' : `, network of ${mbits} Mbit/s by a proxy`}`
}

/** Servers that do not tell their version are not given one. */
export function serverText(server: Readonly<Record<string, string>>): string {
  return pairs(server) || 'version and settings not told'
}

function pairs(values: Readonly<Record<string, string>>): string {
  return Object.entries(values)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ')
}

/** Machines have powers of two, and the kernel takes a part: 23.5 GiB. */
function memoryText(bytes: number): string {
  return `${Number((bytes / 2 ** 30).toPrecision(3))} GiB`
}

/** The findings of a study, with those that hold for every study: whether they say anything, and unlike promises of the stores. */
export function findingsOf({ report }: Pick<AnyStudy, 'report'>, result: AnyResult): readonly string[] {
  const found = report.findings(result)
  const promises = durabilitiesOf(result)
  const subject = result.stores.length === 1 ? 'the store' : 'the stores'
  return [
    ...(result.status === 'invalid'
      ? [`The run is invalid, so its figures say nothing about ${subject}.`]
      : []),
    ...found,
    ...(promises === undefined || found.includes(promises) ? [] : [promises]),
  ]
}
