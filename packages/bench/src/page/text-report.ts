import { markdownOf, textOf } from '../report/report-table.ts'
import { wrapped } from '../report/words/wrapped.ts'
import { commandOf } from '../study/command-of.ts'
import type { AnyResult, AnyStudy } from '../study/study.ts'
import { findingsOf } from './findings.ts'
import { setupLines } from './setup.ts'

/**
 * The result as text for a terminal: what was measured where, tables, then what they show.
 *
 * @param width columns of the terminal; wider tables are folded. Default 80
 */
export function textReport(study: AnyStudy, result: AnyResult, width = 80): string {
  const { report } = study
  const setup = setupLines(study, result).map(([name, value]) => wrapped(`${name}: ${value}`, width, '  '))
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
  const setup = setupLines(study, result).map(([title, value]) => `- ${title}: ${value}`)
  const shown = findingsOf(study, result).map((finding) => `- ${finding}`)
  return [
    `# ${commandOf(study)}: ${result.stores.map((store) => store.name).join(', ')}`,
    ...(shown.length === 0 ? [] : ['## What this run shows', `${shown.join('\n')}`]),
    '## Measurements',
    ...report.summary(result).map((table) => markdownOf(table).trimEnd()),
    '## Setup',
    `${setup.join('\n')}\n`,
  ].join('\n\n')
}
