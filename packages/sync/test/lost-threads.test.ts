import { keyValue } from '@unikv/core'
import { syncFrom, threads } from '@unikv/sync'
import { someOf } from '@unikv/test-kit/vitest'
import { expect, test } from 'vitest'

const execArgv: readonly string[] = []
const fixture = (name: string): URL => new URL(`./fixtures/${name}.mjs`, import.meta.url)
const value = new Uint8Array([1])
const error = (expected: object): unknown => expect.objectContaining({ name: 'StoreError', ...expected })

type Remote = ReturnType<typeof syncFrom<string, Uint8Array>>

/** A KeyValue that waits as briefly as this machine lets a thread start. */
function hastiest(blockMs: number): Remote {
  try {
    return syncFrom(fixture('silent'), { execArgv, blockMs })
  } catch (reason) {
    expect(reason).toMatchObject({ code: 'TIMEOUT' })
    return hastiest(blockMs * 2)
  }
}

test('each syncFrom blocks for as long as it was told, and then says what is known', () => {
  const startedAt = performance.now()
  const patient = syncFrom<string, Uint8Array>(fixture('silent'), { execArgv })
  const hasty = hastiest(Math.ceil(2 * (performance.now() - startedAt)))
  expect(() => hasty.get('silent')).toThrow(error({ code: 'TIMEOUT', operation: 'get' }))
  expect(() => hasty.set('silent2', value)).toThrow(error({ code: 'OUTCOME_UNKNOWN', operation: 'set' }))
  expect(hasty.get('a')).toBeUndefined()
  patient.set('a', value)
  expect(patient.get('a')).toEqual(value)
  expect(hasty.get('a')).toBeUndefined()
  patient.close()
  expect(() => patient.get('a')).toThrow(error({ code: 'CLOSED' }))
})

test('each syncFrom has Node options of its own', () => {
  const exportName = 'argv'
  const first = syncFrom(fixture('silent'), { execArgv: ['--no-warnings'], exportName })
  const second = syncFrom(fixture('silent'), { execArgv: ['--no-deprecation'], exportName })
  expect(first.name).toContain('--no-warnings')
  expect(second.name).toContain('--no-deprecation')
  first.close()
  second.close()
})

for (const key of ['exit', 'throw']) {
  test(`a thread that ends (${key}) is told at once, and is not asked again`, () => {
    const reading = syncFrom<string, Uint8Array>(fixture('silent'), { execArgv, blockMs: 3_600_000 })
    expect(() => reading.get(key)).toThrow(error({ code: 'UNAVAILABLE', retryable: false }))
    expect(() => reading.set('a', value)).toThrow(error({ code: 'UNAVAILABLE', retryable: false }))
    const writing = syncFrom<string, Uint8Array>(fixture('silent'), { execArgv, blockMs: 3_600_000 })
    expect(() => writing.set(key, value)).toThrow(error({ code: 'OUTCOME_UNKNOWN' }))
    expect(() => writing.close()).toThrow(error({ code: 'UNAVAILABLE' }))
  })
}

const changes = [
  ['write', (kv: Remote) => kv.write([{ type: 'set', key: 'exit', value }])],
  ['take', (kv: Remote) => kv.take('exit')],
  ['incrementEntry', (kv: Remote) => kv.incrementEntry('exit')],
] as const

test.each(someOf(1, changes))(
  'nobody is told that nothing was changed when a thread ends in %s',
  (operation, change) => {
    const kv = syncFrom<string, Uint8Array>(fixture('silent'), { execArgv })
    expect(() => change(kv)).toThrow(error({ code: 'OUTCOME_UNKNOWN', operation }))
  },
)

test('errors of the store cross with their cause', () => {
  const kv = syncFrom<string, Uint8Array>(fixture('silent'), { execArgv })
  const cause = expect.objectContaining({ message: 'socket hang up', code: 'ECONNRESET' }) as unknown
  expect(() => kv.get('refused')).toThrow(error({ code: 'ACCESS_DENIED', store: 'odd', cause }))
  kv.close()
})

test('a module that is not there, that is relative, or a thread that cannot start is a mistake of the settings', () => {
  const config = error({ code: 'INVALID_CONFIG', retryable: false })
  expect(() => syncFrom(fixture('absent'), { execArgv })).toThrow(config)
  expect(() => syncFrom('./store.js', { execArgv })).toThrow(
    error({
      code: 'INVALID_CONFIG',
      message: expect.stringContaining('new URL("./store.js", import.meta.url)'),
    }),
  )
  expect(() => syncFrom('my-store', { execArgv })).toThrow(/import\.meta\.resolve/)
  expect(() => syncFrom(fixture('json'), { execArgv: ['--no-such-option'] })).toThrow(config)
  expect(() => syncFrom(fixture('json'), { execArgv: ['--import', './absent.mjs'] })).toThrow(config)
  expect(() => syncFrom(fixture('exits'), { execArgv })).toThrow(
    error({ code: 'UNAVAILABLE', retryable: false }),
  )
  const byPath = syncFrom(fixture('json').pathname, { execArgv })
  expect(byPath.name).toBe('memory')
  byPath.close()
})

test('threads that cannot start or open nothing are told, and end', async () => {
  const config = { code: 'INVALID_CONFIG', retryable: false }
  await expect(threads('./store.js', { execArgv })).rejects.toMatchObject(config)
  await expect(threads(fixture('absent'), { execArgv })).rejects.toMatchObject(config)
  await expect(threads(fixture('silent'), { execArgv: ['--no-such-option'] })).rejects.toMatchObject(config)
  await expect(threads(fixture('silent'), { execArgv, settings: { f: () => 1 } })).rejects.toMatchObject(
    config,
  )
  await expect(threads(fixture('exits'), { execArgv })).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  const broken = { execArgv: ['--import', './absent.mjs'], threads: 2 }
  await expect(threads(fixture('silent'), broken)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  const silent = { execArgv, exportName: 'forever', startMs: 500 }
  await expect(threads(fixture('silent'), silent)).rejects.toMatchObject({ code: 'TIMEOUT' })
})

for (const key of someOf(1, ['throw', 'exit'])) {
  test(`a call whose thread ends (${key}) is told at once, the next thread serves, and close ends`, async () => {
    const store = await threads(fixture('silent'), { execArgv, threads: 1 })
    const kv = keyValue(store, [], { timeoutMs: 3_600_000, coalesce: false })
    await expect(kv.get(key)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    await expect(kv.set(key, value)).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' })
    await kv.set('a', value)
    const last = kv.get(key).catch((reason: unknown) => reason)
    await expect(last).resolves.toMatchObject({ code: 'UNAVAILABLE' })
    await kv.close()
    await expect(store.read([{ key: 'a' }], {} as never)).rejects.toMatchObject({ code: 'CLOSED' })
  })
}
