import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { setTimeout } from 'node:timers/promises'
import {
  AggregationTemporality,
  AggregationType,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
import { keyValue, passThrough, StoreError } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { type CallMessage, type Monitor, monitor } from '../src/index.ts'
import { openTelemetry } from '../src/opentelemetry/index.ts'
import { prometheus } from '../src/prometheus/index.ts'

/** Upper bounds of buckets in seconds, from a microsecond to a minute. */
const bounds = Array.from({ length: 189 }, (_, i) => 1e-6 * 1.1 ** i)
/** A bucket of the monitor's histogram is so much wider than its lower end, at most. */
const wide = 1 + 1 / 64

/** Answers after up to seven milliseconds; some answers are errors. */
function driver() {
  let calls = 0
  return passThrough('driver', {
    wrap: (inner) => ({
      read: async (reads, call) => {
        await setTimeout(calls++ % 8)
        if (calls % 7 === 0) throw new StoreError('UNAVAILABLE', 'down', {})
        return inner.read(reads, call)
      },
    }),
  })
}

/** How many reads Prometheus says that took at most so long, bound by bound, and the sum of all. */
async function told(m: Monitor, buckets: readonly number[]) {
  const register = new Registry()
  prometheus(m, { register, buckets })
  const lines = (await register.metrics()).split('\n')
  const figure = (name: string, le = ''): number => {
    const labels = `store="memory",operation="read",answer="awaited"${le}`
    const start = `unikv_call_duration_seconds_${name}{${labels}} `
    return Number(lines.find((line) => line.startsWith(start))?.slice(start.length))
  }
  return { upTo: buckets.map((le) => figure('bucket', `,le="${le}"`)), sum: figure('sum') }
}

function sumsUpTo(counts: readonly number[]): number[] {
  let sum = 0
  return counts.map((count) => (sum += count))
}

test('buckets of OpenTelemetry and of Prometheus hold what the monitors timed', async () => {
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 })
  const type = AggregationType.EXPLICIT_BUCKET_HISTOGRAM
  const fine = {
    instrumentName: 'db.client.operation.duration',
    aggregation: { type, options: { boundaries: bounds } },
  } as const
  const meterProvider = new MeterProvider({ readers: [reader], views: [fine] })
  // The layer stands between two monitors: each call takes the outer one longer, and the inner one shorter.
  const [outer, inner] = [monitor(), monitor()]
  const layers = [outer, openTelemetry({ meterProvider }), inner, driver()] as const
  const kv = keyValue(memory(), layers, { coalesce: false })
  const exactSeconds: number[] = []
  const listener = (message: unknown) => exactSeconds.push((message as CallMessage).durationMs / 1000)
  subscribe('unikv:read', listener)
  for (let i = 0; i < 40; i++) {
    await kv.get('a').catch(() => {})
    await kv.getMany(['b', 'c']).catch(() => {})
  }
  unsubscribe('unikv:read', listener)
  await reader.forceFlush()

  const points = exporter
    .getMetrics()
    .flatMap(({ scopeMetrics }) => scopeMetrics.flatMap(({ metrics }) => metrics))
    .flatMap(({ dataPoints }) => dataPoints as readonly { value: Timed }[])
  await meterProvider.shutdown()
  const total = (of: (value: Timed) => number) => points.reduce((sum, { value }) => sum + of(value), 0)
  const spans = sumsUpTo(bounds.map((_, i) => total(({ buckets }) => buckets.counts[i] as number)))
  const above = await told(
    outer,
    bounds.map((bound) => bound / wide ** 2),
  )
  const below = await told(inner, bounds)
  const calls = outer.snapshot().stores['memory']?.read?.calls
  expect(calls).toBe(80)
  expect([total(({ count }) => count), spans.at(-1), below.upTo.at(-1)]).toEqual([calls, calls, calls])
  for (const [i, bound] of bounds.entries()) {
    const where = `up to ${bound} s: ${above.upTo[i]}, ${spans[i]}, ${below.upTo[i]}`
    expect(above.upTo[i], where).toBeLessThanOrEqual(spans[i] as number)
    expect(spans[i], where).toBeLessThanOrEqual(below.upTo[i] as number)
  }
  expect(total(({ sum }) => sum)).toBeGreaterThanOrEqual(below.sum)
  expect(total(({ sum }) => sum)).toBeLessThanOrEqual(above.sum)

  // The channel tells durations as they were measured, of both monitors.
  const both = (await told(outer, bounds)).upTo.map((count, i) => count + (below.upTo[i] as number))
  for (const [i, bound] of bounds.entries()) {
    const exact = (most: number): number => exactSeconds.filter((seconds) => seconds <= most).length
    expect(both[i], `up to ${bound} s`).toBeGreaterThanOrEqual(exact(bound / (1 + 1e-9)))
    expect(both[i], `up to ${bound} s`).toBeLessThanOrEqual(exact(bound * wide * (1 + 1e-9)))
  }
})

/** A data point of a histogram. */
interface Timed {
  readonly count: number
  readonly sum: number
  readonly buckets: { readonly counts: readonly number[] }
}
