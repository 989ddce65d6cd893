import type { SizesResult } from '../sizes/result.ts'
import { findings } from './findings/findings.ts'
import { markdownOf, textOf } from './report-table.ts'
import { setupLines } from './setup.ts'
import { summaryTables } from './summary-tables.ts'
import { wrapped } from './wrapped.ts'

/**
 * The result as text for a terminal: what was measured where, tables, then what they show.
 *
 * @param width columns of the terminal; wider tables are folded. Default 80
 */
export function textReport(result: SizesResult, width = 80): string {
  const setup = setupLines(result).map(([name, value]) => wrapped(`${name}: ${value}`, width, '  '))
  const shown = findings(result).map((finding) => wrapped(`· ${finding}`, width, '  '))
  return [
    `${setup.join('\n')}\n`,
    ...summaryTables(result).map((table) => textOf(table, width)),
    ...(shown.length === 0 ? [] : [`${shown.join('\n')}\n`]),
  ].join('\n')
}

/** The same as GitHub-flavored Markdown, for a design document. */
export function markdownReport(result: SizesResult): string {
  const setup = setupLines(result).map(([name, value]) => `- ${name}: ${value}`)
  const shown = findings(result).map((finding) => `- ${finding}`)
  return [
    `# unikv bench sizes: ${result.stores.map(({ name }) => name).join(', ')}`,
    ...(shown.length === 0 ? [] : ['## What this run shows', `${shown.join('\n')}`]),
    '## Measurements',
    ...summaryTables(result).map((table) => markdownOf(table).trimEnd()),
    '## Setup',
    `${setup.join('\n')}\n`,
  ].join('\n\n')
}
