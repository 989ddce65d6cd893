import { meanTime, rate } from '../../../cube/columns.ts'
import { eachRun, type Row, rowsAt } from '../../../cube/row.ts'
import type { Column, Dimension, PlotView } from '../../../cube/view.ts'
import { operationText } from '../../../driven/report/words.ts'
import type { FigureAxis } from '../../../report/figure.ts'
import { rateAxis } from '../../../report/plot/axes.ts'
import { formatCount, formatExact } from '../../../report/words.ts'
import type { JobResult, SessionResult } from '../result.ts'

/** A store and the parameters of its job. */
type Facts = Readonly<Record<string, string>>

/** The jobs of a suite along an axis. */
interface Suite {
  /** The parameter of the axis: the one with the most numbers; `undefined`: there is none. */
  readonly over: string | undefined
  /** Other facts in which jobs differ: the store is the first of them. */
  readonly others: readonly string[]
  readonly facts: readonly Facts[]
}

function suiteOf({ jobs, targets }: SessionResult): Suite {
  const facts = jobs.map((job, at) => factsOf(job, targets[at]?.store ?? ''))
  const all = [...new Set(facts.flatMap((one) => Object.keys(one)))]
  const varied = all.filter((name) => countOf(facts, name) > 1)
  const [over] = varied
    .filter((name) => name !== 'store' && facts.every((one) => isNumber(one[name])))
    .toSorted((a, b) => countOf(facts, b) - countOf(facts, a))
  const others = varied.filter((name) => name !== 'store' && name !== over && !follows(facts, name, over))
  return told({ over, others: ['store', ...others], facts })
}

function isNumber(value: string | undefined): boolean {
  return value !== undefined && value.trim() !== '' && Number.isFinite(Number(value))
}

/** Jobs that differ in nothing that is a parameter are told apart by their order: the first ones of each place, then the second ones. */
function told({ over, others, facts }: Suite): Suite {
  const seen = new Map<string, number>()
  const orders = facts.map((one) => {
    const at = over === undefined ? '' : String(Number(one[over]))
    const key = JSON.stringify([at, ...others.map((name) => one[name] ?? null)])
    seen.set(key, (seen.get(key) ?? 0) + 1)
    return `#${seen.get(key)}`
  })
  if (seen.size === facts.length) return { over, others, facts }
  return {
    over,
    others: [...others, 'same parameters'],
    facts: facts.map((one, i) => ({ ...one, 'same parameters': orders[i] ?? '' })),
  }
}

/** On a page of several results the name of a job stands beside that of its store. */
function factsOf({ name, parameters }: JobResult, store: string): Facts {
  const own = Object.entries(parameters).map(([parameter, value]) => [dimensionOf(parameter), value])
  return {
    store: store.endsWith(` ${name}`) ? store.slice(0, -name.length - 1) : store,
    ...Object.fromEntries(own),
  }
}

/** Columns of rows beside those of parameters. */
const ownColumns = new Set(
  'store run outcome measure statistic unit value job interaction operation phase second monitor'.split(' '),
)

/** The name of a parameter among dimensions. */
function dimensionOf(parameter: string): string {
  const name = parameter.replaceAll('+', ' ')
  return ownColumns.has(name) ? `parameter ${name}` : name
}

function countOf(facts: readonly Facts[], name: string): number {
  return new Set(facts.map((one) => one[name])).size
}

/** Whether a parameter has one value for each value of another one. */
function follows(facts: readonly Facts[], name: string, other: string | undefined): boolean {
  if (other === undefined) return false
  const pairs = new Set(facts.map((one) => JSON.stringify([one[other], one[name]])))
  return pairs.size === countOf(facts, other)
}

/** Rates and times of the jobs of a suite, by the parameters in which they differ. */
export function suiteRows(result: SessionResult): readonly Row[] {
  const { jobs, targets } = result
  if (jobs.length < 2) return []
  const { over, others, facts } = suiteOf(result)
  return jobs.flatMap((job, i) => {
    const { store = '', ...own } = facts[i] ?? {}
    const named = others.flatMap((name) => (own[name] === undefined ? [] : [[name, own[name]]]))
    const dimensions = {
      ...Object.fromEntries(named),
      ...(over === undefined ? { job: numberOf(job, i) } : { [over]: Number(own[over]) }),
    }
    const operations = (targets[i]?.operations ?? []).filter(({ count }) => count > 0)
    const times = operations.flatMap((one) => {
      const measure = one.response === null ? 'service' : 'response'
      const { runs } = (one.response ?? one.service).meanMs
      const own = { ...dimensions, interaction: operationText(one) }
      return rowsAt({ store, dimensions: own }, eachRun(measure, 'ms', runs, 'mean'))
    })
    return [
      ...rowsAt({ store, dimensions }, eachRun('rate', '1/s', job.rate.runs)),
      ...times,
      ...watchedRows(job, { store, dimensions }),
    ]
  })
}

/** Numbers of monitors, each as its mean in each run. */
function watchedRows(
  { runs }: JobResult,
  { store, dimensions }: Pick<Row, 'store' | 'dimensions'>,
): readonly Row[] {
  return runs.flatMap(({ run, monitors }) =>
    monitors
      .flatMap(({ series }) => series)
      .flatMap(({ name, points }) => {
        if (points.length === 0) return []
        const value = points.reduce((sum, [, one]) => sum + one, 0) / points.length
        const own = { ...dimensions, 'mean of': name }
        return rowsAt({ store, dimensions: own }, [{ run, measure: 'watched', unit: 'count', value }])
      }),
  )
}

/** The number before the name of a job in a suite: one that failed is left out, and the others keep theirs. */
function numberOf({ name }: JobResult, at: number): number {
  const [, number] = /^(\d+)-/.exec(name) ?? []
  return number === undefined ? at + 1 : Number(number)
}

/** Response times at a rate, service times without one. */
const meanOf: Column = {
  ...meanTime('service'),
  hasInterval: true,
  of: (cell) =>
    cell.rows('response').length > 0 ? cell.mean('response', 'mean') : cell.mean('service', 'mean'),
}

const note = 'The mean of the runs of each job, with its 95 % interval.'

/** Throughput and times of the jobs of a suite over the parameter of a loop, with a curve for each combination of the others. */
export function suitePlots(result: SessionResult): readonly PlotView[] {
  const { jobs } = result
  if (jobs.length < 2) return []
  const { over, others, facts } = suiteOf(result)
  const own = {
    across: curvesOf(others, facts),
    section: 'suite',
    note,
    isWide: true,
    curve: (name: string) => name || 'all jobs',
  } as const
  const unit = `${[...new Set(jobs.map((job) => job.unit))].join(' or ')} a second`
  const throughput = {
    columns: [rate()[0]],
    id: () => 'suite-throughput',
    title: () => `Throughput of the jobs of a suite over ${over ?? 'their numbers'}`,
    caption: () => 'Throughput',
    yLabel: unit,
    y: { ...rateAxis, title: unit },
  } as const
  const times = { columns: [meanOf], yLabel: 'mean time' } as const
  if (over === undefined)
    return [
      { ...own, ...throughput, names: [{ name: 'job' }], x: jobAxis },
      { ...own, ...times, ...sideBySide(result) },
    ]
  const along = { names: [{ name: over, key: over.replace(/\W+/g, '_') }], x: axisOver(over, facts) }
  return [
    { ...own, ...throughput, ...along },
    {
      ...own,
      ...along,
      each: [{ name: 'mean of' }],
      columns: [{ ...rate({ measure: 'watched', head: 'watched', key: 'watched' })[0] }],
      id: ({ 'mean of': name }) => `suite-watched-${String(name).replace(/\W+/g, '-')}`,
      title: ({ 'mean of': name }) => `${name} in the jobs of a suite over ${over}`,
      caption: ({ 'mean of': name }) => String(name),
      yLabel: ({ 'mean of': name }) => String(name),
      y: { title: '', scale: 'linear', format: (value) => (value === 0 ? '0' : formatCount(value)) },
    },
    {
      ...own,
      ...times,
      ...along,
      each: [{ name: 'interaction' }],
      id: ({ interaction }) => `suite-${interaction}`,
      title: ({ interaction }) => `Mean time of ${interaction} in the jobs of a suite over ${over}`,
      caption: ({ interaction }) => String(interaction),
    },
  ]
}

/** A curve for each combination of what differs, in the order of the jobs; without the store if there is one alone. */
function curvesOf(others: readonly string[], facts: readonly Facts[]): Dimension {
  const values = new Set(
    facts.map((one) => others.flatMap((name) => one[name] ?? []).join(others.length === 1 ? '' : '\t')),
  )
  const hasStores = countOf(facts, 'store') > 1
  return {
    name: others.join('+'),
    values: [...values],
    text: (value) => {
      const [store = '', ...rest] = String(value).split('\t')
      return (hasStores ? [store, ...rest] : rest.map((one) => (one === '' ? 'none' : one))).join(', ')
    },
  }
}

function axisOver(over: string, facts: readonly Facts[]): FigureAxis {
  const values = facts.map((one) => Number(one[over]))
  const [low, high] = [Math.min(...values), Math.max(...values)]
  return { title: over, scale: low > 0 && high / low >= 20 ? 'log' : 'linear', format: formatExact }
}

/** Between whole numbers there is no job. */
const jobAxis: FigureAxis = {
  title: 'number of the job',
  scale: 'linear',
  format: (value) => (Number.isInteger(value) && value > 0 ? String(value) : ''),
}

/** The interactions beside each other, for jobs that no number tells apart. */
function sideBySide(result: SessionResult): Omit<PlotView, 'columns' | 'section' | 'yLabel'> {
  const all = suiteRows(result).filter(({ dimensions }) => dimensions['interaction'] !== undefined)
  const names = [...new Set(all.map(({ dimensions }) => String(dimensions['interaction'])))]
  const rows = all.map((row): Row => {
    const { interaction, job: _, ...dimensions } = row.dimensions
    return { ...row, dimensions: { ...dimensions, at: names.indexOf(String(interaction)) + 1 } }
  })
  return {
    rows,
    names: [{ name: 'at', head: 'interaction', text: (at) => `${at} ${names[Number(at) - 1]}` }],
    id: () => 'suite-times',
    title: () =>
      `Mean times of interactions in the jobs of a suite: ${names.map((name, i) => `${i + 1} ${name}`).join(', ')}`,
    caption: () => 'Times of interactions',
    note: `${note} Lines lead from one interaction to the next and say nothing themselves.`,
    x: { ...jobAxis, title: 'interaction, as in the table' },
    beside: { caption: 'mean ± 95 % CI' },
  }
}
