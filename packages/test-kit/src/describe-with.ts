import { describe, test } from 'vitest'
import { ownServerObstacle } from './own-server.ts'
import type { ServerKind } from './server.ts'
import { testServer } from './test-servers.ts'

/** Marks tests that the embedded run leaves out on purpose; they do not count as skipped. */
export const notEmbedded = 'not part of the embedded run'

/**
 * Declares tests that need a server of this kind, which outlives them and is shared with others: use names
 * of your own in it, and never empty it. `body` gets the first address and all of them.
 *
 * Where there is no such server the tests are skipped, and the run names them at its end; with
 * `UNIKV_REQUIRE=all` they fail instead, and with `UNIKV_EMBEDDED_ONLY=1` they are left out.
 */
export function describeWith(
  kind: ServerKind,
  body: (url: string, urls: readonly string[]) => void | Promise<void>,
): void {
  const title = `on ${kind}`
  const server = testServer(kind)
  if (embeddedOnly()) leaveOut(title)
  else if ('urls' in server) describe(title, () => body(server.urls[0], server.urls))
  else skipLoudly(title, server.missing)
}

/**
 * Declares tests that start servers of this kind for themselves, with `ownServer`. Where its programs are
 * not installed the same happens as in {@link describeWith}.
 */
export function describeWithOwn(kind: ServerKind, body: () => void | Promise<void>): void {
  const title = `with its own ${kind}`
  const obstacle = ownServerObstacle(kind)
  if (embeddedOnly()) leaveOut(title)
  else if (obstacle === undefined) describe(title, body)
  else skipLoudly(title, obstacle)
}

/** With `UNIKV_TESTS=whole`, which `npm run prove -- whole` sets: what `npm test` leaves out to be short runs, too. */
export const isWhole: boolean = process.env['UNIKV_TESTS'] === 'whole'

/** The first cases of a long list, and all of them in the whole run. Put the strongest first. */
export function someOf<T>(count: number, cases: readonly T[]): readonly T[] {
  return isWhole ? cases : cases.slice(0, count)
}

/** A test of the whole run: one that takes long, and whose kind a shorter one proves. */
export function longTest(title: string, run: () => void | Promise<void>): void {
  if (isWhole) test(title, run)
}

function embeddedOnly(): boolean {
  return process.env['UNIKV_EMBEDDED_ONLY'] === '1'
}

/** A file without any test would be an error. */
function leaveOut(title: string): void {
  test.skip(`${title}: ${notEmbedded}`, () => {})
}

function skipLoudly(title: string, reason: string): void {
  if (process.env['UNIKV_REQUIRE'] !== 'all') {
    test.skip(`${title}: SKIPPED, ${reason}`, () => {})
    return
  }
  test(title, () => {
    throw new Error(`UNIKV_REQUIRE=all, but there is no server: ${reason}`)
  })
}
