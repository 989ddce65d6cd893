import { formatSize } from '../../../data/size-list.ts'
import { serverText } from '../../../page/text-report.ts'
import { plotFile } from '../../../report/plot/plot-svg.ts'
import type { SetupLine, StudyReport } from '../../../study/study-report.ts'
import { viewed } from '../../../study/viewed.ts'
import type { CacheInfo, SizesResult } from '../config.ts'
import { castText, isPaperFile } from '../iyengar/drawn.ts'
import { objectsAt } from '../rows.ts'
import { findings } from './findings.ts'
import { plots } from './plots.ts'
import { describeCache, summary } from './summary.ts'

/** How it was measured, as HTML. */
function method({ config, rows }: SizesResult): string {
  const models = `<p>A cache’s curve at hit rate <i>h</i> is extrapolated from both ends, which were measured, with the full cost of misses. A miss asks the cache, reads the store and fills the cache, and was measured as a whole: <code>L(h) = h · L_hit + (1 − h) · (L_probe + L_store + L_fill)</code>. Where this curve meets the store without a cache, the cache begins to pay. The dotted lines are extrapolated as in the paper, <code>L(h) = h · L_hit + (1 − h) · L_store</code>, which leaves out what a miss costs on top of reading the store.</p>`
  return `<p>Every point was measured ${config.runs} ${config.runs === 1 ? 'time' : 'times'}, after one run that is not counted. Runs go through all stores and sizes in turn, and each begins with another store, so that changes of the machine fall on all alike. A run writes distinct objects under distinct keys, reads them in another order, and deletes them. Every read is checked, outside of what is timed: a record that is missing or differs makes the run invalid.</p>
<p>The value of a point is the median of all operations, and the mean of the runs for calls in flight; the bars and ± are the half-width of the 95 % confidence interval of the medians or means of runs, by Student’s t over the runs (single operations of one run are not independent of each other). Fewer than three runs have no interval. <i>Times the fastest</i> compares the medians of each run, or its means for calls in flight; where its interval begins at 1 or below, the stores cannot be told apart. Percentiles are over all operations, and are left out where fewer than ten lie beyond them. Times include unikv’s own layers. Stores on this machine may answer reads from the operating system’s page cache.</p>
${rows.some(({ dimensions }) => dimensions['cache'] !== undefined) ? models : ''}
<p>“The paper” is ${paper}. Figures that correspond to one of it say so.</p>`
}

const paper =
  'Arun Iyengar, <cite>Providing Enhanced Functionality for Data Store Clients</cite> (33rd IEEE International Conference on Data Engineering, ICDE 2017)'

// The figures have their numbers beside them.
const views = viewed<SizesResult>({ rows: ({ rows }) => rows, summary, plots, isSummarised: false })

/** The figures of a paper as drawings for documents. */
function files(result: SizesResult): ReadonlyMap<string, string> {
  const numbered = views.figures(result).filter(({ id }) => isPaperFile(id))
  return new Map(numbered.map((figure) => [`${figure.id}.svg`, plotFile(figure)]))
}

/** How the study tells what it found. */
export const report: StudyReport<SizesResult> = {
  title: 'Latency by object size',
  sections: [
    {
      id: 'sequential',
      title: 'Latency, one call at a time',
      lead: 'Time that a single user of an idle store waits.',
    },
    {
      id: 'parallel',
      title: 'Latency with many calls in flight',
      lead: 'Time of each call while others are running. A store that overlaps calls answers more of them a second; each may take longer.',
    },
    {
      id: 'cache',
      title: 'Reads through a cache',
      lead: 'How long a read takes on average, by the share of reads that the cache answers.',
    },
    {
      id: 'codec',
      title: 'Encryption and compression',
      lead: 'Time that these layers add to a write and a read, before any store is asked.',
    },
  ],
  findings,
  ...views,
  files,
  setup,
  method,
}

/** The setup of the result, besides stores, data and machine. */
function setup(result: SizesResult): readonly SetupLine[] {
  const { config, caches } = result
  return [
    ...(config.preset === null ? [] : [['preset', castText(result)] as const]),
    ...caches.map((cache): SetupLine => [`cache ${cache.name}`, cacheText(cache)]),
    ['objects a run', objectsText(result)],
    ['runs', `${config.runs} of each point after a warm-up${parallelText(config.parallel)}`],
  ]
}

function cacheText(cache: CacheInfo): string {
  return cache.url === null ? describeCache(cache) : `${cache.url}; ${serverText(cache.server)}`
}

/** Objects that were written, which are fewer than planned where phases ended early. */
function objectsText({ points, rows }: SizesResult): string {
  return points
    .map(({ size, operations, gzipRatio }) => {
      const most = Math.max(operations, ...objectsAt(rows, size))
      const count =
        most === operations ? `${most}` : `${operations} to ${most} (phases that took too long ended early)`
      return `${formatSize(size)} ${count} (gzip ${gzipRatio.toFixed(1)} ×)`
    })
    .join(', ')
}

function parallelText(inFlight: number): string {
  return inFlight === 1 ? '; no parallel series' : `; ${inFlight} calls in flight in the parallel series`
}
