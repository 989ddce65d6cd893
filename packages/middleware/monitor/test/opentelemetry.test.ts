import { AsyncLocalStorage } from 'node:async_hooks'
import { context, metrics, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { conformance, testClock } from '@unikv/conformance'
import {
  type Bytes,
  type Capabilities,
  compose,
  json,
  keyValue,
  passThrough,
  type Store,
  StoreError,
} from '@unikv/core'
import { noteAbsent, within } from '@unikv/core/adapter'
import { memory } from '@unikv/core/memory'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Monitor, monitor } from '../src/index.ts'
import { openTelemetry, openTelemetryMetrics } from '../src/opentelemetry/index.ts'
import { targetOf } from '../src/opentelemetry/target.ts'

const spans = new InMemorySpanExporter()
const tracerProvider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] })
const collected = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
const reader = new PeriodicExportingMetricReader({ exporter: collected, exportIntervalMillis: 3_600_000 })
const meterProvider = new MeterProvider({ readers: [reader] })

beforeAll(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
})
afterAll(async () => {
  context.disable()
  await meterProvider.shutdown()
  await tracerProvider.shutdown()
})
beforeEach(() => spans.reset())

/** Makes answers promises, and makes a span of its own, as instrumented drivers do. */
const driver = passThrough('driver', {
  wrap: (inner) => ({
    read: async (reads, call) => {
      tracerProvider.getTracer('driver').startSpan('GET').end()
      if (reads.some(({ key }) => key.endsWith('down'))) throw new StoreError('UNAVAILABLE', 'down', {})
      return inner.read(reads, call)
    },
    write: async (mutations, call) => inner.write(mutations, call),
    scan: async function* (range, call) {
      for await (const page of inner.scan(range, call)) {
        tracerProvider.getTracer('driver').startSpan('SCAN').end()
        yield page
      }
    },
  }),
})

/** A data point of whichever kind of metric. */
interface Point {
  readonly attributes: Readonly<Record<string, unknown>>
  readonly value: number & {
    readonly count: number
    readonly sum: number
    readonly buckets: { readonly boundaries: readonly number[] }
  }
}

/** The data points of a metric that have these attributes. */
async function points(name: string, attributes: object) {
  await reader.forceFlush()
  const all =
    collected
      .getMetrics()
      .at(-1)
      ?.scopeMetrics.flatMap((scope) => scope.metrics) ?? []
  const found = all
    .filter((metric) => metric.descriptor.name === name)
    .flatMap((metric) => metric.dataPoints as unknown as readonly Point[])
  return found.filter((point) =>
    Object.entries(attributes).every(([key, value]) => point.attributes[key] === value),
  )
}

test('spans and measurements agree with the figures of the monitor', async () => {
  const m = monitor()
  const end = openTelemetryMetrics(m, { meterProvider })
  const layer = openTelemetry({ tracerProvider, meterProvider })
  const store = { ...memory(), name: 'users', dataset: 'postgres/db.test/5433/shop/public/users' }
  const users = keyValue(store, [m, json(), layer, driver], { coalesce: false })
  for (let i = 0; i < 20; i++) {
    await users.set(`u${i}`, { secret: i })
    await users.getMany([`u${i}`, 'absent', 'x'])
    await users.get(`u${i}`)
  }
  await users.get('down').catch(() => {})
  for await (const _ of users.keys({ pageSize: 7 }));
  const its = m.snapshot().stores['users']

  const made = spans.getFinishedSpans().filter(({ kind }) => kind === SpanKind.CLIENT)
  const named = (name: string) => made.filter((span) => span.name === name)
  expect(named('set users')).toHaveLength(its?.set?.calls as number)
  expect(named('read users').length + named('BATCH read users').length).toBe(its?.read?.calls)
  expect(named('scan users')).toHaveLength(1)
  expect(named('scan users')[0]?.attributes).toMatchObject({
    'unikv.scan.pages': its?.scan?.calls,
    'db.response.returned_rows': 20,
  })
  expect(named('BATCH read users')[0]?.attributes).toEqual({
    'db.system.name': 'postgresql',
    'db.namespace': 'shop|public',
    'db.collection.name': 'users',
    'db.operation.name': 'BATCH read',
    'db.operation.batch.size': 3,
    'server.address': 'db.test',
    'server.port': 5433,
    'unikv.store': 'users',
    'unikv.cache.hits': 0,
  })
  const failed = named('read users').filter(({ status }) => status.code === SpanStatusCode.ERROR)
  expect(failed.map(({ attributes }) => attributes['error.type'])).toEqual(['UNAVAILABLE'])

  const single = await points('db.client.operation.duration', { 'db.operation.name': 'set' })
  expect(single.map(({ value }) => value.count)).toEqual([20])
  expect(single[0]?.value.buckets.boundaries).toEqual([0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10])
  expect(Object.keys(single[0]?.attributes ?? {})).not.toContain('error.type')
  const errors = await points('db.client.operation.duration', { 'error.type': 'UNAVAILABLE' })
  expect(errors.map(({ value }) => value.count)).toEqual([1])
  // The monitor stands above the codec and the layer: what it timed holds what the layer timed.
  const allSeconds = single[0]?.value.sum as number
  expect(allSeconds * 1000).toBeLessThanOrEqual((its?.set?.awaited.meanMs as number) * 20 + 1)

  const read = { 'unikv.store': 'users', 'db.operation.name': 'read' }
  const value = async (name: string, more: object) =>
    (await points(name, { ...read, ...more })).map((one) => one.value)
  expect(await value('unikv.items', {})).toEqual([its?.read?.items])
  expect(await value('unikv.absent', {})).toEqual([its?.read?.absent])
  expect(await value('unikv.errors', { 'unikv.code': 'UNAVAILABLE' })).toEqual([1])
  expect(await value('unikv.calls', { 'unikv.answer': 'awaited' })).toEqual([its?.read?.awaited.count])
  expect(await value('unikv.calls.under.way', {})).toEqual([0])
  end()
  expect(
    JSON.stringify(
      spans.getFinishedSpans().map(({ attributes, name, events }) => [attributes, name, events]),
    ),
  ).not.toMatch(/u1\b|secret|absent|down/)
})

test('spans of drivers are children, or suppressed; callers keep their context', async () => {
  const own = new AsyncLocalStorage<string>()
  const tracer = tracerProvider.getTracer('application')
  const children = async (suppressDriverSpans: boolean) => {
    spans.reset()
    const kv = keyValue(memory(), [openTelemetry({ tracerProvider, suppressDriverSpans }), driver], {
      coalesce: false,
    })
    const root = tracer.startSpan('request')
    await context.with(trace.setSpan(context.active(), root), () =>
      own.run('mine', async () => {
        await kv.set('a', new Uint8Array(1))
        await kv.get('a')
        for await (const _ of kv.keys()) {
          expect(trace.getActiveSpan()).toBe(root)
          expect(own.getStore()).toBe('mine')
        }
        expect(trace.getActiveSpan()).toBe(root)
      }),
    )
    root.end()
    const all = spans.getFinishedSpans()
    const parentOf = (name: string) => {
      const id = all.find((span) => span.name === name)?.parentSpanContext?.spanId
      return all.find((span) => span.spanContext().spanId === id)?.name
    }
    return ['GET', 'SCAN', 'read', 'scan'].map(parentOf)
  }
  expect(await children(false)).toEqual(['read', 'scan', 'request', 'request'])
  expect(await children(true)).toEqual([undefined, undefined, 'request', 'request'])
})

test('a scan that its reader leaves, and one that fails, end their spans', async () => {
  const failing = passThrough('failing', {
    wrap: (inner) => ({
      scan: async function* (range, call) {
        yield* inner.scan(range, call)
        throw new StoreError('CORRUPT', 'no', {})
      },
    }),
  })
  for (const below of [driver, failing, passThrough('none', { wrap: () => ({}) })]) {
    const kv = keyValue(memory(), [openTelemetry({ tracerProvider }), below])
    for (const key of ['a', 'b', 'c']) await kv.set(key, new Uint8Array(1))
    for await (const _ of kv.keys({ pageSize: 1 })) break
    const whole = async () => {
      for await (const _ of kv.keys());
    }
    await whole().catch(() => {})
    await kv.close()
  }
  const scans = spans.getFinishedSpans().filter(({ name }) => name === 'scan')
  const { UNSET, ERROR } = SpanStatusCode
  expect(scans.map(({ status }) => status.code).toSorted((a, b) => a - b)).toEqual([
    UNSET,
    UNSET,
    UNSET,
    UNSET,
    UNSET,
    ERROR,
  ])
})

test('a query has a span, with how many records it found or why it failed', async () => {
  const inner = memory()
  const capabilities: Capabilities & { readonly find: true } = { ...inner.capabilities, find: true }
  const entry = { value: new Uint8Array(1), version: undefined, expiresAt: undefined }
  let isDown = false
  const store: Store<Bytes, typeof capabilities> = {
    ...inner,
    native: undefined,
    capabilities,
    find: async () => {
      if (isDown) throw new StoreError('UNAVAILABLE', 'down', {})
      return { entries: [{ key: 'a', entry }] }
    },
  }
  const kv = keyValue(store, [openTelemetry({ tracerProvider })])
  expect((await kv.find({})).items).toHaveLength(1)
  isDown = true
  await expect(kv.find({})).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  const made = spans.getFinishedSpans()
  expect(made.map(({ name, status }) => [name, status.code])).toEqual([
    ['find', SpanStatusCode.UNSET],
    ['find', SpanStatusCode.ERROR],
  ])
  expect(made.map(({ attributes }) => attributes['db.response.returned_rows'])).toEqual([1, undefined])
})

test('providers that are registered later are taken, and none costs a span', async () => {
  const kv = keyValue(memory(), [openTelemetry()])
  await kv.set('before', new Uint8Array(1))
  trace.setGlobalTracerProvider(tracerProvider)
  metrics.setGlobalMeterProvider(meterProvider)
  await kv.set('a', new Uint8Array(1))
  trace.disable()
  metrics.disable()
  await kv.set('after', new Uint8Array(1))
  expect(spans.getFinishedSpans().map(({ name }) => name)).toEqual(['set'])
  expect(
    (await points('db.client.operation.duration', { 'unikv.store': 'memory' })).map(
      ({ value }) => value.count,
    ),
  ).toEqual([1])
})

describe('the suite', async () => {
  const clock = testClock()
  const open = () => {
    const store = memory({ clock })
    // A value that is too large for plain memory has 256 MiB.
    const small = { ...store, capabilities: { ...store.capabilities, maxValueBytes: 500_000 } }
    return compose(small, [openTelemetry({ tracerProvider, meterProvider })]) as Store<Bytes>
  }
  await conformance({ test, describe, clock, open })
})

test('a sampler, a processor or a meter that throws fails no call', async () => {
  const boom = (): never => {
    throw new Error('boom')
  }
  const quiet = { onStart: () => {}, onEnd: () => {}, forceFlush: async () => {}, shutdown: async () => {} }
  const meter = { createHistogram: () => ({ record: boom }) }
  const providers = [
    { tracerProvider: new BasicTracerProvider({ sampler: { shouldSample: boom } }) },
    { tracerProvider: new BasicTracerProvider({ spanProcessors: [{ ...quiet, onStart: boom }] }) },
    { tracerProvider: new BasicTracerProvider({ spanProcessors: [{ ...quiet, onEnd: boom }] }) },
    { tracerProvider: { getTracer: boom } },
    { meterProvider: { getMeter: () => meter } as never },
  ]
  for (const below of [driver, passThrough('none', { wrap: () => ({}) })])
    for (const provider of providers) {
      const kv = keyValue(memory(), [json(), openTelemetry(provider), below])
      await kv.set('a', 1)
      expect(await kv.get('a')).toBe(1)
      expect(await kv.count()).toBe(1)
    }
})

test('a scan that nobody reads has no span', async () => {
  for (const below of [driver, passThrough('none', { wrap: () => ({}) })]) {
    const started: string[] = []
    const noted = { onStart: ({ name }: { name: string }) => void started.push(name), onEnd: () => {} }
    const ended = { forceFlush: async () => {}, shutdown: async () => {} }
    const tracers = new BasicTracerProvider({ spanProcessors: [{ ...noted, ...ended }] })
    const store = compose(memory(), [openTelemetry({ tracerProvider: tracers }), below])
    const pages = store.scan({ prefix: '', pageSize: 10, values: false }, within(5000))
    await (Symbol.iterator in pages ? pages[Symbol.iterator]() : pages[Symbol.asyncIterator]()).return?.()
    expect(started).toEqual([])
  }
})

test('absent keys that a cache remembers are hits', async () => {
  const m = monitor()
  const near = passThrough('near', {
    wrap: () => ({
      read: (reads, call) => {
        for (const { key } of reads) noteAbsent(call, key, { tier: 'near' })
        return reads.map(() => undefined)
      },
    }),
  })
  const kv = keyValue(memory(), [m, openTelemetry({ tracerProvider }), near])
  await kv.getMany(['a', 'b'])
  expect(spans.getFinishedSpans()[0]?.attributes['unikv.cache.hits']).toBe(2)
  expect(m.snapshot().stores['memory']?.read?.hits).toEqual({ near: 2 })
})

test('a batch that fails in part says so, and so does one of several types', async () => {
  const kv = keyValue(memory(), [
    json(),
    openTelemetry({ tracerProvider, attributes: { 'db.system.name': 'mariadb' } }),
  ])
  await kv.write([
    { type: 'set', key: 'a', value: 1 },
    { type: 'delete', key: 'b' },
  ])
  expect(
    spans.getFinishedSpans().map(({ name, attributes }) => [name, attributes['db.system.name']]),
  ).toEqual([['BATCH', 'mariadb']])
})

test.each<[string, object]>([
  [
    'redis/10.0.0.1:6379/3/app',
    { 'db.system.name': 'redis', 'server.address': '10.0.0.1', 'server.port': 6379, 'db.namespace': '3' },
  ],
  ['redis/a:1/b:2/app', { 'db.system.name': 'redis' }],
  ['redis/app', { 'db.system.name': 'redis' }],
  [
    'mysql/::1/3306/shop/kv',
    {
      'db.system.name': 'mysql',
      'server.address': '::1',
      'server.port': 3306,
      'db.namespace': 'shop',
      'db.collection.name': 'kv',
    },
  ],
  ['mysql/kv', { 'db.system.name': 'mysql', 'db.collection.name': 'kv' }],
  [
    'mongodb/h:27017/shop/kv',
    {
      'db.system.name': 'mongodb',
      'server.address': 'h',
      'server.port': 27017,
      'db.namespace': 'shop',
      'db.collection.name': 'kv',
    },
  ],
  ['mongodb/h:1,h:2/kv', { 'db.system.name': 'mongodb', 'db.collection.name': 'kv' }],
  [
    'cassandra/n1:9042/shop/kv',
    {
      'db.system.name': 'cassandra',
      'server.address': 'n1',
      'server.port': 9042,
      'db.namespace': 'shop',
      'db.collection.name': 'kv',
    },
  ],
  ['memcached/m:11211/app', { 'db.system.name': 'memcached', 'server.address': 'm', 'server.port': 11211 }],
  [
    'hbase/h:8080/kv/app',
    { 'db.system.name': 'hbase', 'server.address': 'h', 'server.port': 8080, 'db.collection.name': 'kv' },
  ],
  [
    'couchdb/c:5984/kv',
    { 'db.system.name': 'couchdb', 'server.address': 'c', 'server.port': 5984, 'db.namespace': 'kv' },
  ],
  ['dynamodb/http://l:8000/eu/kv', { 'db.system.name': 'aws.dynamodb', 'db.collection.name': 'kv' }],
  ['sqlite//var/lib/a.db/kv', { 'db.system.name': 'sqlite', 'db.collection.name': 'kv' }],
  ['lmdb//var/lib/a/kv', { 'db.system.name': 'lmdb' }],
  ['#0123', { 'db.system.name': 'mine' }],
])('the dataset %s names the target of calls', (dataset, attributes) => {
  expect(targetOf({ name: 'Mine', dataset })).toEqual({ ...attributes, 'unikv.store': 'Mine' })
})

test.each<[string, object, string]>([
  ['a provider that is none', { tracerProvider: {} }, '`tracerProvider` of openTelemetry() must be'],
  ['attributes of objects', { attributes: { a: {} } }, '`attributes` of openTelemetry() must be'],
  ['an unknown option', { supressDriverSpans: true }, 'suppressDriverSpans'],
])('%s is refused', (_, options, words) => {
  expect(() => openTelemetry(options as never)).toThrow(words)
})

test('anything but a monitor is refused', () => {
  expect(() => openTelemetryMetrics({} as Monitor, { meterProvider })).toThrow('monitor()')
})
