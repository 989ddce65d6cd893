import { escapeHtml } from '../report/html.ts'
import { markdownOf, markdownText, type ReportTable } from '../report/report-table.ts'
import { type CompareOptions, compareResults, compareSides } from './compare-results.ts'
import {
  comparisonFindings,
  comparisonHeadline,
  comparisonTables,
  hasRegression,
  isUntold,
} from './comparison-report.ts'
import { type History, type HistoryOptions, historyOf } from './history.ts'
import { hasWorsened, historyFindings, historyHeadline, historyTable, isUnknown } from './history-report.ts'
import type { ComparedPair, NamedResult } from './sides.ts'

/** Findings and figures of a comparison, before it is text, Markdown or JSON. */
export interface Comparison {
  readonly tables: readonly ReportTable[]
  readonly findings: readonly string[]
  /** The verdict in a few words. */
  readonly headline: string
  /** All figures, for JSON. */
  readonly data: unknown
  readonly isWorse: boolean
  /** Whether there are too few results to tell. */
  readonly isUntold: boolean
}

/**
 * Compare each result with the first one, by the rows of both.
 *
 * @throws {StoreError} `INVALID_ARGUMENT` if there is nothing to compare, or if something was not measured alike and
 * `force` is not set
 */
export function comparison(results: readonly NamedResult[], options?: CompareOptions): Comparison {
  return ofPairs(compareResults(results, options))
}

/**
 * Compare two sides, of which each may have several results.
 *
 * @throws {StoreError} as `comparison`
 */
export function comparisonOfSides(
  base: readonly NamedResult[],
  other: readonly NamedResult[],
  options?: CompareOptions,
): Comparison {
  return ofPairs([compareSides(base, other, options)])
}

/**
 * Find the results, in the order of time, from which on a figure has another level.
 *
 * @throws {StoreError} as `comparison`
 */
export function comparisonOverTime(
  results: readonly NamedResult[],
  options?: HistoryOptions,
): Comparison & { readonly data: History } {
  const history = historyOf(results, options)
  return {
    tables: [historyTable(history)],
    findings: historyFindings(history),
    headline: historyHeadline(history),
    data: history,
    isWorse: hasWorsened(history),
    isUntold: isUnknown(history),
  }
}

/** Markdown for a pull request: the verdict first, and tables folded. */
export function comparisonMarkdown({ tables, findings, headline }: Comparison): string {
  const folded = tables.map((table) => {
    const [, , ...rows] = markdownOf(table).trimEnd().split('\n')
    return `<details><summary>${escapeHtml(table.title)}</summary>\n\n${rows.join('\n')}\n\n</details>\n`
  })
  const found = findings.map((one) => `- ${markdownText(one)}\n`).join('')
  return [`### ${headline}\n`, found, ...folded].join('\n')
}

function ofPairs(pairs: readonly ComparedPair[]): Comparison {
  return {
    tables: comparisonTables(pairs),
    findings: comparisonFindings(pairs),
    headline: comparisonHeadline(pairs),
    data: pairs,
    isWorse: hasRegression(pairs),
    isUntold: isUntold(pairs),
  }
}
