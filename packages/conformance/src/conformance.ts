import type { Bytes, Store } from '@unikv/core'
import { checkPositive } from '@unikv/core/adapter'
import { type Fixture, openFixture } from './fixture.ts'
import type { ConformanceOptions } from './options.ts'
import { type Case, concerns, type Setting } from './topic.ts'
import { topics } from './topics.ts'
import { within } from './within.ts'

/**
 * Register the tests that every store, middleware and stack passes, topic by topic, as far as the capabilities
 * of the store select them. Tests are independent; run them one after another.
 *
 * @returns when all are registered: await it before the test file ends
 * @throws {StoreError} `INVALID_CONFIG` for numbers with which nothing would be tested
 */
export function conformance(options: ConformanceOptions<Bytes>): Promise<void>
export function conformance<V>(
  options: ConformanceOptions<V> & { readonly value: (n: number) => V },
): Promise<void>
export async function conformance<V>(options: ConformanceOptions<V>): Promise<void> {
  // A case sees values as unknown; what it writes comes from `value` alone.
  const untyped = options as unknown as ConformanceOptions<unknown>
  const { keyStep = 1, schedules = 20 } = options
  checkPositive({ keyStep, schedules })
  const setting = await settingOf(untyped)
  for (const topic of topics) {
    if (options.topics?.test(topic.title) === false) continue
    const cases = topic.cases.filter((one) => concerns(setting, one))
    if (cases.length === 0) continue
    if (options.describe === undefined)
      for (const one of cases) register(untyped, one, `${topic.title}: ${one.title}`)
    else options.describe(topic.title, () => cases.forEach((one) => register(untyped, one, one.title)))
  }
}

function register(options: ConformanceOptions<unknown>, one: Case, title: string): void {
  options.test(title, async () => {
    // Deadlines wait on timers that hold no process; node:test would end before they do.
    const alive = setInterval(() => {}, 60_000)
    try {
      await runCase(options, one)
    } finally {
      clearInterval(alive)
    }
  })
}

async function runCase(options: ConformanceOptions<unknown>, { run }: Case): Promise<void> {
  const fixture = await openFixture(options)
  try {
    await run(fixture)
  } catch (error) {
    // The first failure is reported.
    await ended(fixture).catch(() => {})
    throw error
  }
  await ended(fixture)
}

/** Runners give up after some time too, and know less of what they waited for. */
function ended(fixture: Fixture): Promise<void> {
  return within(fixture.patienceMs, 'To close the stores and remove their data', fixture.end())
}

async function settingOf(options: ConformanceOptions<unknown>): Promise<Setting> {
  return {
    capabilities: options.capabilities ?? (await askStore(options)),
    bytes: options.value === undefined,
    clock: options.clock !== undefined,
    reopen: options.reopen !== undefined,
    corrupt: options.corrupt !== undefined,
    versions: options.foreign !== true,
    ownResults: options.sharesResults !== true,
  }
}

async function askStore(options: ConformanceOptions<unknown>): Promise<Store<unknown>['capabilities']> {
  const store = await options.open()
  await store.close()
  await options.discard?.(store)
  return store.capabilities
}
