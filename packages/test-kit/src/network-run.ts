import { afterAll, describe, test } from 'vitest'
import { describeWith, describeWithOwn, isWhole } from './describe-with.ts'
import { type FaultProxy, faultProxy } from './faults/fault-proxy.ts'
import { noteCounts } from './note-counts.ts'
import { ownServer } from './own-server.ts'
import type { ServerKind } from './server.ts'

/** Arguments of `networkFaults` of `@unikv/conformance` beside the store: a runner, a proxy, and how long to go on. */
export interface NetworkRun {
  /** Registers one test, with the time that it may take. */
  readonly test: (title: string, run: () => Promise<void>) => void
  /** Groups tests. */
  readonly describe: (title: string, body: () => void) => void
  /** A fresh proxy before the server. */
  readonly proxy: () => Promise<FaultProxy>
  /** How often each fault is injected. */
  readonly rounds: number
  /** Seed of the random choices. */
  readonly seed: number
  /** Notes counts of the long form, where they are wanted. */
  readonly report: (counts: object) => void
  /** Kills the server and starts it again, where it is one of their own. */
  readonly restart?: () => Promise<unknown>
}

/** How long one test of one round may take on a slow and busy machine. */
const roundMs = 300_000

/**
 * The short form for the tests, or the long one of `npm run prove -- lost-replies`: `UNIKV_ROUNDS` says how often each
 * fault is injected, `UNIKV_SEED` from which seed, and `UNIKV_COUNTS` names the file in which the counts are noted.
 */
export function networkRun(url: string): NetworkRun {
  const rounds = Number(process.env['UNIKV_ROUNDS'] ?? 1)
  return {
    test: (title, run) => test(title, run, roundMs * rounds),
    describe: (title, body) => describe(title, body),
    proxy: () => faultProxy(url),
    rounds,
    seed: Number(process.env['UNIKV_SEED'] ?? 1),
    report: noteCounts,
  }
}

/**
 * Declares network tests of a store behind HTTP, whose client knows no connection to its server: on the shared server in
 * `npm test`; in the whole run on one of its own that is also killed and started again.
 */
export function describeHttpNetwork(
  kind: ServerKind,
  body: (run: NetworkRun & { readonly url: string }) => Promise<void>,
  args: readonly string[] = [],
): void {
  if (!isWhole) {
    describeWith(kind, (url) => body({ ...networkRun(url), url }))
    return
  }
  describeWithOwn(kind, async () => {
    const server = await ownServer(kind, { args })
    afterAll(() => server.stop())
    await body({ ...networkRun(server.url), url: server.url, restart: () => server.restart() })
  })
}
