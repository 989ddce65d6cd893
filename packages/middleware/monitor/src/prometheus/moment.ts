import { Histogram } from '@unikv/core/histogram'
import type { Meter } from '../meters/meter.ts'
import type { Monitor } from '../monitor.ts'
import type { MonitorSnapshot } from '../snapshot.ts'
import { countsIn } from '../taking.ts'
import { metricsOf, type Source, usualBuckets } from './metrics.ts'

/** Figures of one moment, in two forms that agree while calls go on. */
export interface Moment {
  readonly snapshot: MonitorSnapshot
  /**
   * The same figures in the text format of Prometheus, version 0.0.4. It is made when it is asked for.
   *
   * @param stores names of the stores to tell of; `undefined`: all
   */
  text(this: void, stores?: readonly string[]): string
}

/**
 * Take the figures of a monitor at one moment, for programs that show the same numbers in several places. It needs no registry.
 *
 * ```ts
 * const { snapshot, text } = momentOf(m)
 * ```
 *
 * @throws {StoreError} `INVALID_CONFIG` if it is not a monitor
 */
export function momentOf(monitor: Monitor): Moment {
  const counts = countsIn('momentOf', monitor)
  const snapshot = counts.snapshot()
  const sources = counts.meters().map(([store, meter]): Source => {
    const { operation } = meter
    const times = copied(meter.times())
    return {
      labels: { store, operation },
      figures: snapshot.stores[store]?.[operation] as Source['figures'],
      times: () => times,
    }
  })
  return {
    snapshot,
    text: (stores) =>
      textOf(sources.filter(({ labels }) => stores === undefined || stores.includes(labels.store))),
  }
}

function copied({ atOnce, awaited }: ReturnType<Meter['times']>): ReturnType<Meter['times']> {
  return { atOnce: copyOf(atOnce), awaited: copyOf(awaited) }
}

function copyOf(histogram: Histogram | undefined): Histogram | undefined {
  return histogram && Histogram.from(histogram.data())
}

function textOf(sources: readonly Source[]): string {
  return metricsOf('unikv_', usualBuckets)
    .map(({ name, help, type, samples }) => {
      const lines = sources
        .flatMap(samples)
        .map(({ metricName = name, labels, value }) => `${metricName}${labelsOf(labels)} ${value}\n`)
      return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`
    })
    .join('')
}

function labelsOf(labels: Readonly<Record<string, string | number>>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(String(value))}"`)
  return `{${pairs.join(',')}}`
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}
