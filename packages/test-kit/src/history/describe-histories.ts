import { afterAll, expect, test } from 'vitest'
import { describeWith, isWhole } from '../describe-with.ts'
import { noteCounts } from '../note-counts.ts'
import type { ServerKind } from '../server.ts'
import { contendedHistories, type FaultedHistoryOptions, faultedHistories } from './faulted-history.ts'
import type { ConditionalKeyValue } from './record.ts'

/** The settings that differ from store to store. */
export interface HistoriesOfStore
  extends Pick<FaultedHistoryOptions, 'open' | 'consistency' | 'timeoutMs' | 'everyMs'> {
  /** Remove what the test left. */
  readonly discard?: () => Promise<unknown>
}

/** The short form, unless `UNIKV_OPERATIONS` says another: as many as the simulations in which broken stores are found out. */
const operations = Number(process.env['UNIKV_OPERATIONS'] ?? (isWhole ? 1_000 : 400))

/** How long the long form may take. */
const limitMs = 1_200_000

/**
 * Declares the test that a store is linearizable while its network breaks, on a server of this kind. `prepare` makes a
 * dataset that is empty. `npm run prove -- histories` makes it longer, or another one, and prints the counts.
 */
export function describeHistories(
  kind: ServerKind,
  prepare: (url: string) => HistoriesOfStore | Promise<HistoriesOfStore>,
): void {
  describeWith(kind, (url) => {
    let discard: (() => Promise<unknown>) | undefined
    afterAll(() => discard?.())

    test('histories under faults are linearizable', { timeout: limitMs }, async () => {
      const store = await prepare(url)
      discard = store.discard
      const outcome = await faultedHistories({ url, operations, ...store })
      expect(outcome.ends['applied']).toBeGreaterThan(0)
      noteCounts({ store: kind, ...outcome })
    })
  })
}

/**
 * Declares the test that a store without a network is linearizable while `clients` change the same keys at once. They
 * are opened before and closed after it.
 */
export function testContendedHistories(
  store: string,
  clients: () => Promise<readonly ConditionalKeyValue[]>,
): void {
  test('histories of clients at once are linearizable', { timeout: limitMs }, async () => {
    const opened = await clients()
    const outcome = await contendedHistories({ clients: opened, operations })
    await Promise.all(opened.map((client) => client.close()))
    expect(outcome.ends['applied']).toBeGreaterThan(0)
    noteCounts({ store, ...outcome })
  })
}
