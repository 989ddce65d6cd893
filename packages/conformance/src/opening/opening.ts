import type { Bytes } from '@unikv/core'
import { assertReleased, settledResources } from '../resources.ts'
import { beginnings } from './beginnings.ts'
import { closings } from './closings.ts'
import { foreignPlaces } from './foreign-places.ts'
import { handedIn } from './handed-in.ts'
import type { OpeningCase } from './opening-case.ts'
import { openingFixture } from './opening-fixture.ts'
import type { OpeningOptions } from './opening-options.ts'
import { preparations } from './preparations.ts'
import { refusals } from './refusals.ts'
import { servers } from './servers.ts'

const sections = [refusals, beginnings, servers, preparations, foreignPlaces, handedIn, closings]

/**
 * Register the tests of how stores of an adapter are made, opened and closed: wrong options are refused in a sentence, no
 * secret is told, nothing is loaded or connected before the first call, a server that is not there is told and found
 * when it comes, what is not prepared or not ours is refused and left alone, a client that was handed in is used and
 * stays open, and a store that is closed at any time leaves nothing.
 */
export function opening<O extends object>(options: OpeningOptions<O, Bytes>): void
export function opening<O extends object, V>(
  options: OpeningOptions<O, V> & { readonly value: (n: number) => V },
): void
export function opening<O extends object, V>(options: OpeningOptions<O, V>): void {
  // A case sees options and values as unknown: they come from the hooks alone.
  const given = options as unknown as OpeningOptions<object, unknown>
  const cases = sections.flatMap((section) => section(given))
  const register = (prefix: string): void => {
    for (const one of cases) given.test(prefix + one.title, () => runCase(given, one))
  }
  if (given.describe === undefined) register('opening: ')
  else given.describe('opening', () => register(''))
}

async function runCase(
  given: OpeningOptions<object, unknown>,
  { run, releases }: OpeningCase,
): Promise<void> {
  // Deadlines wait on timers that hold no process; node:test would end before they do.
  const alive = setInterval(() => {}, 60_000)
  const before = releases === true ? await settledResources() : []
  const t = openingFixture(given)
  try {
    try {
      await run(t)
    } catch (error) {
      // The first error is the one to report.
      await t.end().catch(() => {})
      throw error
    }
    await t.end()
    if (releases === true) await assertReleased(before, t.patienceMs)
  } finally {
    clearInterval(alive)
  }
}
