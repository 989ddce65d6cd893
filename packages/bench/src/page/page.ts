import type { Figure } from '../report/figure.ts'
import { escapeHtml, htmlTable, legend } from '../report/html.ts'
import { plotSizes } from '../report/plot/frame.ts'
import { plotSvg } from '../report/plot/plot-svg.ts'
import type { ReportTable } from '../report/report-table.ts'
import { formatDuration } from '../report/words.ts'
import { commandOf } from '../study/result-file.ts'
import type { AnyResult, AnyStudy } from '../study/study.ts'
import type { FigureTables } from '../study/study-report.ts'
import { pageStyle } from './page-style.ts'
import { findingsOf, setupLines } from './text-report.ts'

/** Several results on one page. */
export interface JoinedResults {
  /** Sentences about all of them, in the place of those that the study would say of the joined result. */
  readonly findings: readonly string[]
  /** Where they are. */
  readonly folders: readonly string[]
}

/**
 * The whole report as one page: no script, no font, no image from elsewhere.
 *
 * @param joined the result stands for several ones
 */
export function reportPage(study: AnyStudy, result: AnyResult, joined?: JoinedResults): string {
  const { report } = study
  const all = report.figures(result)
  const names = result.stores.map((store) => store.name).join(', ')
  return pageFrame({
    title: `${commandOf(study)}: ${escapeHtml(report.heading?.(result) ?? names)}`,
    header: header(study, result, { names, all, findings: joined?.findings ?? findingsOf(study, result) }),
    main: resultHtml(study, result, all),
    footer: joined === undefined ? footer(study, result) : joinedFooter(study, joined),
  })
}

/** The parts of a page, as HTML. */
interface PageParts {
  readonly title: string
  readonly header: string
  readonly main: string
  readonly footer: string
}

/** A page that needs nothing from elsewhere. */
export function pageFrame({ title, header: head, main, footer: foot }: PageParts): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<style>${pageStyle}</style>
</head>
<body>
${head}
<main>
${main}
</main>
<footer>${foot}</footer>
</body>
</html>
`
}

/** Tables and figures of a result, how it was measured, and its setup. */
export function resultHtml(
  study: AnyStudy,
  result: AnyResult,
  all: readonly Figure[] = study.report.figures(result),
): string {
  const { report } = study
  const sections = report.sections
    .map((section) => sectionHtml(section, all, study, result))
    .filter((section) => section !== '')
  return `${summaryHtml(report.pageTables?.(result) ?? [])}
${sections.join('\n')}
<section id="method"><h2>How it was measured</h2>
${report.method(result)}</section>
${setup(study, result)}`
}

function footer(study: AnyStudy, result: AnyResult): string {
  const { report } = study
  return `Made by <code>${commandOf(study)}</code>. The same numbers are in <code>result.json</code>, and as columns in ${report.tables(result).length} <code>.dat</code> and <code>.csv</code> files; <code>gnuplot plots.gp</code> draws these figures again.`
}

function joinedFooter(study: AnyStudy, { folders }: JoinedResults): string {
  const shown = folders.map((folder) => `<code>${escapeHtml(folder)}</code>`).join(', ')
  return `Made by <code>unikv bench report</code> of ${folders.length} results of <code>${commandOf(study)}</code>: ${shown}. Machine, data and configuration above are those of the first one.`
}

interface Headed {
  readonly names: string
  readonly all: readonly Figure[]
  readonly findings: readonly string[]
}

function header(study: AnyStudy, result: AnyResult, { names, all, findings: shown }: Headed): string {
  const { data, config, startedAt, elapsedMs, status, error } = result
  const { report } = study
  const present = report.sections.filter(({ id }) => all.some(({ group }) => group === id))
  const day = startedAt.slice(0, 16).replace('T', ' ')
  return `<header>
<h1>${escapeHtml(report.heading?.(result) ?? `${report.title}: ${names}`)}</h1>
<p class="lead">${escapeHtml(report.dataOf?.(result) ?? data.description)} · ${config.runs} ${config.runs === 1 ? 'run' : 'runs'} a point · ${day} UTC · took ${formatDuration(elapsedMs)}</p>
${statusNote(status, error)}
${shown.length === 0 ? '' : `<h3>What this run shows</h3><ul class="findings">${shown.map((one) => `<li>${escapeHtml(one)}</li>`).join('')}</ul>`}
<nav aria-label="Sections">${report.pageTables === undefined ? '' : '<a href="#summary">Summary</a>'}${present.map(({ id, title }) => `<a href="#${id}">${title}</a>`).join('')}<a href="#method">How it was measured</a><a href="#setup">Setup</a></nav>
</header>`
}

function statusNote(status: AnyResult['status'], error: string | null): string {
  if (status === 'complete') return ''
  const why = escapeHtml(error ?? 'unknown error')
  const notes = {
    crossed: escapeHtml(error ?? 'A threshold was crossed.'),
    invalid: `This run is invalid: ${why} It holds the measurements finished so far.`,
    interrupted: `This run was interrupted: it holds what was finished until then, some of it from fewer runs than asked for. ${escapeHtml(error ?? '')}`,
    failed: `This run failed: ${why} It holds the measurements finished so far.`,
  }
  return `<p class="status">${notes[status]}</p>`
}

function summaryHtml(tables: readonly ReportTable[]): string {
  if (tables.length === 0) return ''
  return `<section id="summary"><h2>Summary</h2>${tables.map(summaryTable).join('\n')}</section>`
}

function summaryTable({ title, head, rows, names = 1, told }: ReportTable): string {
  const columnsOf = (row: readonly string[]): readonly string[] => row.filter((_, i) => i !== told)
  const cells = rows
    .map(columnsOf)
    .map((row) => [row.slice(0, names).map(escapeHtml).join(' · '), ...row.slice(names).map(escapeHtml)])
  const shown = columnsOf(head)
  return htmlTable(
    title,
    [shown.slice(0, names).join(' · '), ...shown.slice(names)],
    cells,
    told === undefined ? [] : rows.map((row) => escapeHtml(row[told] ?? '')),
  )
}

function sectionHtml(
  { id, title, lead }: AnyStudy['report']['sections'][number],
  all: readonly Figure[],
  study: AnyStudy,
  result: AnyResult,
): string {
  const own = all.filter(({ group }) => group === id)
  if (own.length === 0) return ''
  return `<section id="${id}"><h2>${title}</h2><p class="lead">${lead}</p>\n${own.map((figure) => figureHtml(figure, study, result)).join('\n')}</section>`
}

function figureHtml(whole: Figure, { report }: AnyStudy, result: AnyResult): string {
  const figure = withValues(whole)
  return drawnFigure(figure, report.besides(figure, result))
}

/** Two drawings: the screen shows the one that fits it, so that no text shrinks. */
export function drawnFigure(figure: Figure, { beside, below }: FigureTables): string {
  const { isWide = false, foldedAs } = figure
  const drawings = [
    `<div class="on-wide">${plotSvg(figure, isWide ? plotSizes.wide : plotSizes.side)}</div>`,
    `<div class="on-phone">${plotSvg(figure, plotSizes.phone)}</div>`,
  ]
  const card = `<figure id="${escapeHtml(figure.id)}"${isWide ? ' class="stacked"' : ''}>
<figcaption><h3>${escapeHtml(figure.title)}</h3><p class="note">${escapeHtml(figure.note)}</p></figcaption>
<div>${legend(figure.series)}${drawings.join('')}${below}</div>
<div>${beside}</div>
</figure>`
  return foldedAs === undefined
    ? card
    : `<details class="twin"><summary>${escapeHtml(figure.title)}: ${escapeHtml(foldedAs)}</summary>${card}</details>`
}

/** A curve without a value, such as a percentile that no point has, is not named. */
function withValues(figure: Figure): Figure {
  const series = figure.series.filter(({ table, column }) => table.rows.some((row) => row[column] !== null))
  return series.length === 0 ? figure : { ...figure, series }
}

function setup(study: AnyStudy, result: AnyResult): string {
  const rows = setupLines(study, result).map(([name, value]) => {
    const shown = name === 'repeat' ? `<code>${escapeHtml(value)}</code>` : escapeHtml(value)
    return `<dt>${escapeHtml(name)}</dt><dd>${shown}</dd>`
  })
  return `<section id="setup"><h2>Setup</h2><dl>${rows.join('')}</dl></section>`
}
