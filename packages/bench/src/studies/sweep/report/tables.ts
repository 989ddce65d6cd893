import { FileNames } from '../../../report/files/file-names.ts'
import type { Table } from '../../../report/table.ts'
import { uslThroughput } from '../../../statistics/usl/usl-law.ts'
import { isMissing } from '../is-missing.ts'
import { isDescribed } from '../law.ts'
import type { Curve, SweepResult } from '../result.ts'
import { fileText, loadsIn } from './words.ts'

/** Columns of numbers: for each load its rates, its times, and the law through its rates. */
export function tables(result: SweepResult): readonly Table[] {
  const names = new FileNames()
  const found = loadsIn(result).flatMap((load) => [
    ratesTable(result, load),
    timesTable(result, load),
    ...lawTable(result, load),
  ])
  return found.map((table) => ({ ...table, name: names.claim(table.name) }))
}

/** The curves of a load, in the order of the columns. */
export function curvesWith({ curves }: SweepResult, load: string): readonly Curve[] {
  return curves.filter((curve) => curve.load === load)
}

/** The curves of a load that a law describes. */
export function fittedWith(result: SweepResult, load: string): readonly Curve[] {
  return curvesWith(result, load).filter(isDescribed)
}

function ratesTable(result: SweepResult, load: string): Table {
  return tableOf(result, load, 'rate', 'operations a second, and half of the 95 % interval', {
    per_s: ({ rate }) => rate.mean,
    half_width_per_s: ({ rate }) => rate.halfWidth,
  })
}

function timesTable(result: SweepResult, load: string): Table {
  return tableOf(result, load, 'times', 'service times', {
    mean_ms: ({ latency }) => latency.meanMs.mean,
    p50_ms: ({ latency }) => latency.p50Ms,
    p99_ms: ({ latency }) => latency.p99Ms,
  })
}

type Column = (point: Curve['points'][number]) => number | null

function tableOf(
  result: SweepResult,
  load: string,
  kind: string,
  what: string,
  columns: Readonly<Record<string, Column>>,
): Table {
  const { field, values } = result.config.over
  const curves = curvesWith(result, load)
  const each = curves.flatMap((curve) => Object.entries(columns).map(([unit, of]) => ({ curve, unit, of })))
  return {
    key: `${kind}/${load}`,
    name: `${kind}-${fileText(load)}`,
    title: `${load} over ${field}: ${what}`,
    columns: [field.replace('-', '_'), ...each.map(({ curve, unit }) => `${curve.store}_${unit}`)],
    rows: values.map((value) => [
      value,
      ...each.map(({ curve, of }) => {
        const point = curve.points.find((one) => one.value === value)
        return point === undefined || isMissing(point) ? null : of(point)
      }),
    ]),
  }
}

/** Points of a smooth curve. */
const steps = 80

/** The law at even steps of a logarithmic axis. */
function lawTable(result: SweepResult, load: string): readonly Table[] {
  const curves = fittedWith(result, load)
  const { values } = result.config.over
  const [low, high] = [values[0] as number, values.at(-1) as number]
  if (curves.length === 0) return []
  const rows = Array.from({ length: steps + 1 }, (_, step) => {
    const n = low * (high / low) ** (step / steps)
    return [n, ...curves.map(({ fit }) => (fit === null ? null : uslThroughput(fit, n)))]
  })
  return [
    {
      key: `law/${load}`,
      name: `law-${fileText(load)}`,
      title: `${load}: Universal Scalability Law through the runs`,
      columns: ['concurrency', ...curves.map(({ store }) => `${store}_per_s`)],
      rows,
    },
  ]
}
