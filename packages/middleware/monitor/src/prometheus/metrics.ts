import type { Histogram } from '@unikv/core/histogram'
import { type AnyFigures, labelled, sums, underWayHelp } from '../measures.ts'
import type { Meter } from '../meters/meter.ts'

/** One operation of one store. */
export interface Source {
  readonly labels: { readonly store: string; readonly operation: string }
  readonly figures: AnyFigures
  /** Latencies in nanoseconds. */
  readonly times: () => ReturnType<Meter['times']>
}

/** A metric, and its values for one operation. */
export interface Metric {
  readonly name: string
  readonly help: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly samples: (source: Source) => readonly Sample[]
}

/** One value of a metric, with its labels. */
interface Sample {
  readonly labels: Readonly<Record<string, string | number>>
  readonly value: number
  /** For the parts of a histogram. */
  readonly metricName?: string
}

/** Upper bounds of the buckets of durations, in seconds. */
export const usualBuckets = [
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
] as const

/** All metrics of a monitor. */
export function metricsOf(prefix: string, buckets: readonly number[]): readonly Metric[] {
  return [
    ...Object.entries(labelled).map(([name, [help, label, of]]): Metric => {
      const samples = ({ labels, figures }: Source): readonly Sample[] =>
        Object.entries(of(figures)).map(([value, count]) => ({
          labels: { ...labels, [label]: value },
          value: count,
        }))
      return { name: `${prefix}${name}_total`, help, type: 'counter', samples }
    }),
    ...Object.entries(sums).map(([name, [help, of]]): Metric => {
      const samples = ({ labels, figures }: Source): readonly Sample[] => {
        const value = of(figures)
        return value === undefined ? [] : [{ labels, value }]
      }
      return { name: `${prefix}${name}_total`, help, type: 'counter', samples }
    }),
    {
      name: `${prefix}calls_under_way`,
      help: underWayHelp,
      type: 'gauge',
      samples: ({ labels, figures: { underWay: value } }) => [{ labels, value }],
    },
    durations(`${prefix}call_duration_seconds`, buckets),
  ]
}

function durations(name: string, buckets: readonly number[]): Metric {
  return {
    name,
    help: 'Duration of calls: all that were awaited, and of those answered at once the ones that were timed.',
    type: 'histogram',
    samples: ({ labels, times }) => {
      const { atOnce, awaited } = times()
      return [
        ...partsOf(name, { ...labels, answer: 'awaited' }, awaited, buckets),
        ...partsOf(name, { ...labels, answer: 'at_once' }, atOnce, buckets),
      ]
    },
  }
}

/** Buckets, sum and count of a histogram of nanoseconds. */
function partsOf(
  name: string,
  labels: Sample['labels'],
  histogram: Histogram | undefined,
  buckets: readonly number[],
): readonly Sample[] {
  if (histogram === undefined) return []
  const { count, sum } = histogram
  const bucket = (le: number | string, value: number): Sample => ({
    labels: { ...labels, le },
    value,
    metricName: `${name}_bucket`,
  })
  return [
    ...buckets.map((le) => bucket(le, histogram.countUpTo(le * 1e9))),
    bucket('+Inf', count),
    { labels, value: sum / 1e9, metricName: `${name}_sum` },
    { labels, value: count, metricName: `${name}_count` },
  ]
}
