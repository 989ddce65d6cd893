import { type Attributes, type MeterProvider, metrics, type Observable } from '@opentelemetry/api'
import { type OptionsOf, readOptions } from '@unikv/core/adapter'
import { type AnyFigures, labelled, sums, underWayHelp } from '../measures.ts'
import type { Monitor } from '../monitor.ts'
import { countsIn } from '../taking.ts'
import { provider } from './open-telemetry.ts'
import { scope } from './telemetry.ts'

const table = {
  /** @default the one that is registered now */
  meterProvider: provider<MeterProvider>('getMeter'),
}

/** Settings of `openTelemetryMetrics`. */
export interface OpenTelemetryMetricsOptions extends OptionsOf<typeof table> {}

/** A measure of OpenTelemetry, and its values for one operation. */
interface Measure {
  readonly instrument: Observable
  readonly values: (figures: AnyFigures) => readonly (readonly [value: number, attributes?: Attributes])[]
}

/**
 * Let OpenTelemetry read the figures of a monitor: `unikv.calls`, `unikv.items`, `unikv.errors`, `unikv.cache.hits` and the
 * rest, by store and operation. They are read when metrics are collected, so calls cost nothing more.
 *
 * @returns a function that ends this
 * @throws {StoreError} `INVALID_CONFIG` for a wrong option, or if something else than a monitor is given
 */
export function openTelemetryMetrics(
  monitor: Monitor,
  options: OpenTelemetryMetricsOptions = {},
): () => void {
  const { meterProvider } = readOptions('openTelemetryMetrics', table, options)
  const counts = countsIn('openTelemetryMetrics', monitor)
  const meter = (meterProvider ?? metrics.getMeterProvider()).getMeter(scope)
  const measures = measuresOf({
    counter: (name, description) =>
      meter.createObservableCounter(`unikv.${name.replaceAll('_', '.')}`, {
        description,
        unit: name === 'bytes' ? 'By' : '',
      }),
    gauge: (name, description) =>
      meter.createObservableUpDownCounter(`unikv.${name.replaceAll('_', '.')}`, { description }),
  })
  const observe: Parameters<typeof meter.addBatchObservableCallback>[0] = (result) => {
    for (const [store, its] of counts.meters()) {
      const figures = its.snapshot() as AnyFigures
      const attributes = { 'unikv.store': store, 'db.operation.name': its.operation }
      for (const { instrument, values } of measures)
        for (const [value, more] of values(figures))
          result.observe(instrument, value, { ...attributes, ...more })
    }
  }
  const instruments = measures.map(({ instrument }) => instrument)
  meter.addBatchObservableCallback(observe, instruments)
  return () => meter.removeBatchObservableCallback(observe, instruments)
}

type Make = (name: string, description: string) => Observable

function measuresOf({
  counter,
  gauge,
}: {
  readonly counter: Make
  readonly gauge: Make
}): readonly Measure[] {
  return [
    ...Object.entries(labelled).map(
      ([name, [help, label, of]]): Measure => ({
        instrument: counter(name, help),
        values: (figures) =>
          Object.entries(of(figures)).map(([value, count]) => [count, { [`unikv.${label}`]: value }]),
      }),
    ),
    ...Object.entries(sums).map(
      ([name, [help, of]]): Measure => ({
        instrument: counter(name, help),
        values: (figures) => {
          const value = of(figures)
          return value === undefined ? [] : [[value]]
        },
      }),
    ),
    { instrument: gauge('calls_under_way', underWayHelp), values: ({ underWay }) => [[underWay]] },
  ]
}
