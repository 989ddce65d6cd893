import type { Figure, FigureSeries, Table } from '../report/figure.ts'
import { escapeHtml } from '../report/html.ts'
import { rateAxis, secondsAxis } from '../report/plot/axes.ts'
import { formatCount, formatDuration, formatExact, formatMs } from '../report/words.ts'
import type { BenchEvent } from '../run/progress.ts'
import { commandOf } from '../study/result-file.ts'
import type { AnyResult, AnyStudy } from '../study/study.ts'
import { drawnFigure, pageFrame, resultHtml } from './page.ts'
import { type LiveSecond, RunState } from './run-state.ts'

/** A run that is under way, by its events: how far it is, and its report so far. */
export class LiveRun {
  readonly #state = new RunState()

  /** Take an event into account. */
  saw(event: BenchEvent): void {
    this.#state.saw(event)
  }

  /** How many measurements it has. */
  get cells(): number {
    return this.#state.cells
  }

  /** How many of them are done. */
  get done(): number {
    return this.#state.done
  }

  /** How far it is, in one or two sentences. */
  sentence(): string {
    return liveSentence(this.#state)
  }

  /** The part of its page that changes each second. */
  section(): string {
    return liveSection(this.#state)
  }

  /**
   * Its report: how far it is, its seconds, and all that its finished measurements say.
   *
   * @param so.result what is finished so far; `undefined`: nothing yet
   */
  page(study: AnyStudy, so: Finished): string {
    return livePage(study, this.#state, so)
  }
}

/** The finished part of a run. */
interface Finished {
  readonly stores: readonly string[]
  readonly result: AnyResult | undefined
}

function livePage(study: AnyStudy, run: RunState, { stores, result }: Finished): string {
  const names = stores.join(', ')
  const heading =
    result === undefined ? undefined : (study.report.heading?.(result) ?? `${study.report.title}: ${names}`)
  return pageFrame({
    title: `${commandOf(study)}: ${escapeHtml(names)}`,
    header: `<header><h1>${escapeHtml(heading ?? `${study.report.title}: ${names}`)}</h1></header>`,
    main: `${liveSection(run)}\n<div id="so-far">${result === undefined ? '' : resultHtml(study, result)}</div>`,
    footer: `Measured now by <code>${commandOf(study)}</code>. The report replaces this page when the run has ended.`,
  })
}

function liveSection(run: RunState): string {
  const figures = figuresOf(run).map((figure) => drawnFigure(figure, { beside: '', below: '' }))
  const share = run.cells === 0 ? 0 : run.done / run.cells
  return `<section id="now"><progress style="width:100%;accent-color:var(--accent)" value="${share}" aria-label="Measurements that are done"></progress><p class="lead">${escapeHtml(liveSentence(run))}</p>${figures.join('\n')}</section>`
}

function liveSentence(run: RunState): string {
  const { lastDone, lastEvent, cells, done } = run
  if (cells === 0) return 'The stores are being opened.'
  const remaining = lastDone?.remainingMs
  const left = remaining === undefined || done === cells ? '' : `, about ${formatDuration(remaining)} left`
  const now = doingText(run)
  return `${formatExact(done)} of ${formatExact(cells)} measurements are done${left}.${lastEvent === undefined ? '' : now}`
}

function doingText({ lastEvent: event, lastDone }: RunState): string {
  if (event?.type === 'loading')
    return ` Loading ${event.target}: ${formatExact(event.records)} of ${formatExact(event.of)} records.`
  if (event?.type === 'removing') return ` Removing what was written to ${event.target}.`
  if (event?.type !== 'interval') return lastDone === undefined ? '' : ` Last: ${lastDone.label}.`
  const { all, lengthMs } = event.interval
  const rate = `${formatCount(lengthMs <= 0 ? 0 : (all.operations / lengthMs) * 1_000)} operations/s`
  const p99 = all.p99Ms === null ? '' : `, p99 ${formatMs(all.p99Ms)}`
  const errors = all.errors === 0 ? '' : `, ${formatExact(all.errors)} failed`
  return ` ${event.target}, ${event.run === 0 ? 'warm-up' : `run ${event.run}`}: ${rate}${p99}${errors}.`
}

function figuresOf({ seconds }: RunState): readonly Figure[] {
  const tables = Array.from(seconds, ([target, its], i): readonly [string, Table] => [
    target,
    tableOf(target, i, its),
  ])
  if (tables.length === 0) return []
  const common = { group: 'now', x: secondsAxis, isWide: true, tables: tables.map(([, table]) => table) }
  const line = (column: number) =>
    tables.map(
      ([name, table], i): FigureSeries => ({ name, table, column, colour: { category: i }, style: 'line' }),
    )
  return [
    {
      ...common,
      id: 'live-rate',
      title: 'Operations a second',
      note: 'Each point is one second of the runs so far, one after the other.',
      yLabel: 'operations a second',
      y: rateAxis,
      series: line(1),
    },
    {
      ...common,
      id: 'live-p99',
      title: 'The slowest one per cent',
      note: 'The 99th percentile of each second, all operations together.',
      yLabel: 'p99 of a second',
      series: line(2),
    },
  ]
}

function tableOf(target: string, index: number, seconds: readonly LiveSecond[]): Table {
  return {
    key: `live-${index}`,
    name: `live-${index}`,
    title: target,
    columns: ['second', 'per_s', 'p99_ms'],
    rows: seconds.map(({ at, rate, p99Ms }) => [at, rate, p99Ms]),
  }
}
