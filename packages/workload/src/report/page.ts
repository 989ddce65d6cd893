import type { SizesResult } from '../sizes/result.ts'
import { escapeHtml } from './escape-html.ts'
import { type Figure, figures } from './figure.ts'
import { findings } from './findings/findings.ts'
import { figureTables } from './html-table.ts'
import { legend } from './legend.ts'
import { pageStyle } from './page-style.ts'
import { plotSizes } from './plot/frame.ts'
import { plotSvg } from './plot/plot-svg.ts'
import { setupLines } from './setup.ts'
import { tables } from './table.ts'
import { formatDuration } from './units.ts'

/** The whole report as one page: no script, no font, no image from elsewhere. */
export function reportPage(result: SizesResult): string {
  const all = figures(result)
  const names = result.stores.map(({ name }) => name).join(', ')
  const sections = groups.map((group) => groupSection(group, all, result)).filter((section) => section !== '')
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>unikv bench sizes: ${escapeHtml(names)}</title>
<style>${pageStyle}</style>
</head>
<body>
${header(result, names, all)}
<main>
${sections.join('\n')}
${method(result)}
${setup(result)}
</main>
<footer>Made by <code>unikv bench sizes</code>. The same numbers are in <code>result.json</code>, and as columns in ${tables(result).length} <code>.dat</code> and <code>.csv</code> files; <code>gnuplot plots.gp</code> draws these figures again.</footer>
</body>
</html>
`
}

const groups = [
  {
    id: 'sequential',
    title: 'Latency, one call at a time',
    lead: 'What one user of an idle store waits for.',
  },
  {
    id: 'parallel',
    title: 'Latency with many calls in flight',
    lead: 'What each call takes while others are under way. A store that overlaps calls answers more of them a second; each may take longer.',
  },
  {
    id: 'cache',
    title: 'Reads through a cache',
    lead: 'How long a read takes on average, by the share of reads that the cache answers.',
  },
  {
    id: 'codec',
    title: 'Encryption and compression',
    lead: 'What these layers add to a write and a read, before any store is asked.',
  },
] as const

function header(
  { data, config, startedAt, elapsedMs, status, error, ...rest }: SizesResult,
  names: string,
  all: readonly Figure[],
): string {
  const shown = findings({ data, config, startedAt, elapsedMs, status, error, ...rest })
  const present = groups.filter(({ id }) => all.some(({ group }) => group === id))
  const day = startedAt.slice(0, 16).replace('T', ' ')
  return `<header>
<h1>Latency by object size: ${escapeHtml(names)}</h1>
<p class="lead">${escapeHtml(data.description)} · ${config.runs} ${config.runs === 1 ? 'run' : 'runs'} a point · ${day} UTC · took ${formatDuration(elapsedMs)}</p>
${statusNote(status, error)}
${shown.length === 0 ? '' : `<h3>What this run shows</h3><ul class="findings">${shown.map((one) => `<li>${escapeHtml(one)}</li>`).join('')}</ul>`}
<nav aria-label="Sections">${present.map(({ id, title }) => `<a href="#${id}">${title}</a>`).join('')}<a href="#method">How it was measured</a><a href="#setup">Setup</a></nav>
</header>`
}

function statusNote(status: SizesResult['status'], error: string | null): string {
  if (status === 'complete') return ''
  if (status === 'invalid')
    return `<p class="status">This run is invalid: ${escapeHtml(error ?? 'unknown error')} It holds what was finished until then.</p>`
  if (status === 'interrupted')
    return `<p class="status">This run was interrupted: it holds what was finished until then, some of it from fewer runs than asked for. ${escapeHtml(error ?? '')}</p>`
  return `<p class="status">This run failed: ${escapeHtml(error ?? 'unknown error')} It holds what was finished until then.</p>`
}

function groupSection(
  { id, title, lead }: (typeof groups)[number],
  all: readonly Figure[],
  result: SizesResult,
): string {
  const own = all.filter(({ group }) => group === id)
  if (own.length === 0) return ''
  return `<section id="${id}"><h2>${title}</h2><p class="lead">${lead}</p>\n${own.map((figure) => figureHtml(figure, result)).join('\n')}</section>`
}

/** Two drawings: the screen shows the one that fits it, so that no text shrinks. */
function figureHtml(figure: Figure, result: SizesResult): string {
  const { beside, below } = figureTables(figure, result)
  const isWide = result.stores.length > 3 && (figure.group === 'sequential' || figure.group === 'parallel')
  const drawings = [
    `<div class="on-wide">${plotSvg(figure, isWide ? plotSizes.wide : plotSizes.side)}</div>`,
    `<div class="on-phone">${plotSvg(figure, plotSizes.phone)}</div>`,
  ]
  const card = `<figure id="${escapeHtml(figure.id)}"${isWide ? ' class="stacked"' : ''}>
<figcaption><h3>${escapeHtml(figure.title)}</h3><p class="note">${escapeHtml(figure.note)}</p></figcaption>
<div>${legend(figure.series)}${drawings.join('')}${below}</div>
<div>${beside}</div>
</figure>`
  return isTwin(figure, result)
    ? `<details class="twin"><summary>${escapeHtml(figure.title)}: ${escapeHtml(twinNote)}</summary>${card}</details>`
    : card
}

const twinNote = 'the default mode over raw bytes, which copies them on a hit'

/** The same cache in its other mode has a figure that looks much alike: it is folded. */
function isTwin({ source }: Figure, { caches }: SizesResult): boolean {
  const mode = (cache: string): string | null | undefined => caches.find(({ name }) => name === cache)?.share
  if (source === undefined || mode(source.cache) !== 'freeze') return false
  return source.cache.endsWith('-freeze') && mode(source.cache.slice(0, -'-freeze'.length)) === 'reference'
}

function method({ config, cache }: SizesResult): string {
  const models = `<p>A cache’s curve at hit rate <i>h</i> is drawn with the full cost of misses. A miss asks the cache, reads the store and fills the cache, and was measured as a whole: <code>L(h) = h · L_hit + (1 − h) · (L_probe + L_store + L_fill)</code>. Where this curve meets the store without a cache, the cache begins to pay. The dotted lines are the model of the paper, <code>L(h) = h · L_hit + (1 − h) · L_store</code>, which leaves out what a miss costs on top of reading the store.</p>`
  return `<section id="method"><h2>How it was measured</h2>
<p>Every point was measured ${config.runs} ${config.runs === 1 ? 'time' : 'times'}, after one run that is not counted. Runs go through all stores and sizes in turn, and each begins with another store, so that changes of the machine fall on all alike. A run writes distinct objects under distinct keys, reads them in another order, and deletes them. Every read is checked, outside of what is timed: a record that is missing or differs makes the run invalid.</p>
<p>The value of a point is the mean of its runs; the bars and ± are the half-width of the 95 % confidence interval of that mean, by Student’s t over the runs (single operations of one run are not independent of each other). Fewer than three runs have no interval. <i>Times the fastest</i> compares the means of each run; where its interval begins at 1 or below, the stores cannot be told apart. Medians and percentiles are over all operations; percentiles are left out where fewer than ten lie beyond them. Times include unikv’s own layers. Stores on this machine may answer reads from the operating system’s page cache.</p>
${cache.length === 0 ? '' : models}
<p>“The paper” is ${paper}. Figures that correspond to one of it say so.</p></section>`
}

const paper =
  'Arun Iyengar, <cite>Providing Enhanced Functionality for Data Store Clients</cite> (33rd IEEE International Conference on Data Engineering, ICDE 2017)'

function setup(result: SizesResult): string {
  const rows = setupLines(result).map(([name, value]) => {
    const shown = name === 'repeat' ? `<code>${escapeHtml(value)}</code>` : escapeHtml(value)
    return `<dt>${escapeHtml(name)}</dt><dd>${shown}</dd>`
  })
  return `<section id="setup"><h2>Setup</h2><dl>${rows.join('')}</dl></section>`
}
