import { json, keyValue, passThrough } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import parse from 'parse-prometheus-text-format'
import { Gauge, Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { type Monitor, monitor } from '../src/index.ts'
import { momentOf, prometheus } from '../src/prometheus/index.ts'

/** Makes answers promises, as those of servers are. */
const promised = passThrough('promised', {
  wrap: (inner) => ({
    read: async (reads, call) => inner.read(reads, call),
    write: async (mutations, call) => inner.write(mutations, call),
  }),
})

test('a Prometheus parser reads the same figures that the monitor has', async () => {
  const m = monitor({ timeEverySync: true })
  const register = new Registry()
  const end = prometheus(m, { register, buckets: [0.001, 0.1, 60] })
  const users = keyValue({ ...memory(), name: 'users' }, [m, json(), promised, m.traffic()])
  const local = keyValue(memory(), [m, json()])
  for (let i = 0; i < 30; i++) {
    await users.set(`u${i}`, { i })
    await users.getMany([`u${i}`, 'absent'])
    await local.set('x', i)
  }
  await users.set('u1', 0, { ifVersion: null }).catch(() => {})
  await m.measure('say "hi"\\\n', () => Promise.reject(new Error('x'))).catch(() => {})

  const text = await register.metrics()
  const families = new Map(parse(text).map((family) => [family.name, family]))
  const value = (name: string, labels: object): number => {
    const found = families
      .get(`unikv_${name}`)
      ?.metrics.filter((metric) =>
        Object.entries(labels).every(([label, wanted]) => metric.labels?.[label] === wanted),
      )
    expect(found, `${name} ${JSON.stringify(labels)}`).toHaveLength(1)
    return Number(found?.[0]?.value)
  }
  const { users: its, memory: here } = m.snapshot().stores
  const read = { store: 'users', operation: 'read' }
  expect(value('calls_total', { ...read, answer: 'awaited' })).toBe(its?.read?.awaited.count)
  expect(value('items_total', read)).toBe(60)
  expect(value('absent_total', read)).toBe(30)
  expect(value('cache_misses_total', read)).toBe(60)
  expect(value('bytes_total', read)).toBe(its?.read?.bytes)
  expect(value('conditions_failed_total', { store: 'users', operation: 'set' })).toBe(1)
  expect(value('calls_total', { store: 'memory', operation: 'set', answer: 'at_once' })).toBe(
    here?.set?.calls,
  )
  expect(value('errors_total', { operation: 'native', code: 'UNAVAILABLE' })).toBe(1)
  expect(value('calls_under_way', read)).toBe(0)

  // The parser throws histograms of all labels together.
  const labels = 'store="users",operation="read",answer="awaited"'
  const part = (name: string, more = ''): number => {
    const line = text
      .split('\n')
      .find((one) => one.startsWith(`unikv_call_duration_seconds_${name}{${labels}${more}} `))
    return Number(line?.split(' ')[1])
  }
  expect(families.get('unikv_call_duration_seconds')?.type).toBe('HISTOGRAM')
  expect([part('count'), part('bucket', ',le="60"'), part('bucket', ',le="+Inf"')]).toEqual([30, 30, 30])
  expect(part('sum')).toBeCloseTo(((its?.read?.awaited.meanMs as number) * 30) / 1000, 9)

  end()
  expect(await register.metrics()).not.toContain('unikv_')
})

test('a moment has the text that the registry has, and stays as it was', async () => {
  const m = monitor({ timeEverySync: true })
  const register = new Registry()
  prometheus(m, { register })
  const users = keyValue({ ...memory(), name: 'users' }, [m, json(), promised, m.traffic()])
  for (let i = 0; i < 30; i++) await users.update(`u${i % 7}`, () => ({ i }))
  await m.measure('say "hi"\\\n', () => Promise.reject(new Error('x'))).catch(() => {})
  const lines = (text: string) =>
    text
      .split('\n')
      .filter((line) => line !== '')
      .toSorted()
  const { snapshot, text } = momentOf(m)
  expect(lines(text())).toEqual(lines(await register.metrics()))
  const [before, its] = [text(), structuredClone(snapshot)]
  await users.get('u1')
  expect([text(), snapshot]).toEqual([before, its])
  expect(momentOf(m).text()).not.toBe(before)
  expect(text(['users'])).not.toContain('say')
  expect(() => momentOf({} as Monitor)).toThrow('momentOf() takes what monitor() returned')
})

test('two monitors have metrics of their own by their prefix, and names that are taken change nothing', async () => {
  const register = new Registry()
  const endFirst = prometheus(monitor(), { register, prefix: 'a_' })
  prometheus(monitor(), { register, prefix: 'b_' })
  new Gauge({ name: 'c_calls_under_way', help: 'of the program', registers: [register] })
  const before = register.getMetricsAsArray().map(({ name }) => name)
  for (const prefix of ['a_', 'c_'])
    expect(() => prometheus(monitor(), { register, prefix })).toThrow(
      expect.objectContaining({ code: 'INVALID_CONFIG', message: expect.stringContaining('another prefix') }),
    )
  expect(register.getMetricsAsArray().map(({ name }) => name)).toEqual(before)
  endFirst()
  prometheus(monitor(), { register, prefix: 'a_' })
})

test('a registry of OpenMetrics has the names that one of Prometheus has', async () => {
  const register = new (Registry as new (type: string) => Registry)(Registry.OPENMETRICS_CONTENT_TYPE)
  const m = monitor()
  const end = prometheus(m, { register })
  await keyValue(memory(), [m, json()]).set('a', 1)
  for (let scrape = 0; scrape < 2; scrape++) {
    const text = await register.metrics()
    expect(text).toMatch(/^# TYPE unikv_calls counter$/m)
    expect(text).toMatch(/^unikv_calls_total\{/m)
    expect(text).not.toContain('_total_total')
  }
  end()
  expect(await register.metrics()).not.toContain('unikv_')
})

test.each<[string, object, string]>([
  ['no registry', { register: {} }, '`register` of prometheus() must be a registry'],
  ['nothing', undefined as never, '`register` of prometheus() must be given'],
  ['a bad prefix', { register: new Registry(), prefix: '1-' }, '`prefix` of prometheus() must have'],
  ['falling buckets', { register: new Registry(), buckets: [2, 1] }, 'rising, finite numbers'],
  [
    'an endless bucket, which is there anyway',
    { register: new Registry(), buckets: [1, Number.POSITIVE_INFINITY] },
    'finite',
  ],
  ['an unknown option', { register: new Registry(), registry: 1 }, 'register'],
])('%s is refused', (_, options, words) => {
  expect(() => prometheus(monitor(), options as never)).toThrow(words)
})

test('anything but a monitor is refused', () => {
  expect(() => prometheus({} as Monitor, { register: new Registry() })).toThrow('monitor()')
})
