import { needed, type OptionsOf, readOptions, StoreError, valid } from '@unikv/core/adapter'
import type { Monitor } from '../monitor.ts'
import { countsIn } from '../taking.ts'
import { type Metric, metricsOf, type Source, usualBuckets } from './metrics.ts'

export { type Moment, momentOf } from './moment.ts'

/** The part of a registry of prom-client that is used. */
export interface PrometheusRegistry {
  /** Add a metric. */
  registerMetric(metric: never): void
  /** Take one out. */
  removeSingleMetric(name: string): void
}

const table = {
  /** A registry of prom-client, such as its `register`. */
  register: needed(
    valid<PrometheusRegistry>('be a registry of prom-client, such as its `register`', isRegistry),
  ),
  /** Begins the name of each metric. @default 'unikv_' */
  prefix: valid<string, string>(
    'have letters, digits, _ and : only, and not begin with a digit',
    isPrefix,
    'unikv_',
  ),
  /** Upper bounds of the buckets of durations, in seconds. @default from 100 µs to 10 s */
  buckets: valid<readonly number[], readonly number[]>(
    'be rising, finite numbers of seconds above 0',
    areRising,
    usualBuckets,
  ),
}

/** Settings of `prometheus`. */
export interface PrometheusOptions extends OptionsOf<typeof table> {}

/**
 * Put the figures of a monitor into a registry of prom-client. They are read when the registry is asked, so calls cost
 * nothing more. Labels are names of stores, operations, error codes and cache tiers: never keys.
 *
 * ```ts
 * prometheus(m, { register })
 * response.end(await register.metrics())
 * ```
 *
 * @returns a function that takes the metrics out of the registry again
 * @throws {StoreError} `INVALID_CONFIG` for a wrong option, or if the registry has metrics of these names
 */
export function prometheus(monitor: Monitor, options: PrometheusOptions): () => void {
  const { register, prefix, buckets } = readOptions('prometheus', table, options)
  const counts = countsIn('prometheus', monitor)
  const sources = (): readonly Source[] =>
    counts.meters().map(([store, meter]) => ({
      labels: { store, operation: meter.operation },
      figures: meter.snapshot(),
      times: () => meter.times(),
    }))
  const ends: (() => void)[] = []
  const end = (): void => ends.splice(0).forEach((remove) => remove())
  try {
    for (const metric of metricsOf(prefix, buckets)) {
      // The registry types metrics as its own classes, but asks them for these members alone.
      register.registerMetric(asked(metric, sources) as never)
      ends.push(() => register.removeSingleMetric(metric.name))
    }
  } catch (cause) {
    end()
    throw refused(prefix, cause)
  }
  return end
}

/** A metric as a registry asks it. One of OpenMetrics changes `name`, and adds the end `_total` itself. */
function asked({ name, help, type, samples }: Metric, sources: () => readonly Source[]): object {
  return {
    name,
    help,
    type,
    aggregator: 'sum',
    // Asked by a registry that starts anew: the monitor has `reset` of its own.
    reset: () => {},
    async get(this: { readonly name: string }) {
      return { name: this.name, help, type, aggregator: 'sum', values: sources().flatMap(samples) }
    },
  }
}

function refused(prefix: string, cause: unknown): StoreError {
  const message = `The registry rejected the metrics ${prefix}…, perhaps because it has them already. End the earlier ones by calling what their prometheus() returned, or name another prefix.`
  return new StoreError('INVALID_CONFIG', message, { cause })
}

function isRegistry(register: unknown): boolean {
  const { registerMetric, removeSingleMetric } = Object(register) as Partial<PrometheusRegistry>
  return typeof registerMetric === 'function' && typeof removeSingleMetric === 'function'
}

function isPrefix(prefix: unknown): boolean {
  return typeof prefix === 'string' && /^[a-zA-Z_:][a-zA-Z0-9_:]*$/.test(prefix)
}

/** `+Inf` comes after them anyway. */
function areRising(buckets: unknown): boolean {
  if (!Array.isArray(buckets) || buckets.length === 0) return false
  return buckets.every((one, i) => Number.isFinite(one) && one > (i === 0 ? 0 : buckets[i - 1]))
}
