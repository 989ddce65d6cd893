import assert from 'node:assert/strict'
import type { Entry } from '@unikv/core'
import type { Deed, DeedSetting } from './deeds.ts'
import type { NetworkFixture } from './network-fixture.ts'
import type { Told } from './outcome.ts'

type Entries = readonly (Entry<unknown> | undefined)[]

/** A deed and keys of its own, ready for it. */
export interface Work {
  readonly deed: Deed
  readonly keys: readonly string[]
  readonly before: Entries
}

/** Make keys for a deed. */
export async function prepared(t: NetworkFixture, deed: Deed): Promise<Work> {
  const keys = Array.from({ length: deed.keys ?? 1 }, () => t.key(deed.title))
  const prepare = deed.prepare ?? ((_, key) => t.direct.set(key, t.value(1)))
  for (const key of keys) await prepare(t, key)
  return { deed, keys, before: await entriesOf(t, keys) }
}

/** Do it; `arm` is called right before it is sent. */
export function start(
  t: DeedSetting,
  { deed, keys, before }: Work,
  arm: () => void = () => {},
): Promise<readonly Told[]> {
  return deed.run({ ...t, keys, before, arm })
}

/** The present records of the keys, seen past the proxy. */
export function entriesOf({ direct }: DeedSetting, keys: readonly string[]): Promise<Entries> {
  return Promise.all(keys.map((key) => direct.getEntry(key)))
}

/**
 * Check that what was told about each key is true, and that nothing was done twice.
 *
 * @returns on how many keys it took effect
 */
export async function checkTruth(
  t: NetworkFixture,
  { deed, keys, before }: Work,
  outcomes: readonly Told[],
): Promise<number> {
  const after = await entriesOf(t, keys)
  let effects = 0
  for (const [i, outcome] of outcomes.entries()) {
    const effect = deed.effect(t, { before: before[i], after: after[i] })
    assert.notEqual(effect, 'more', `${deed.title} takes effect once at the most`)
    if (outcome.kind === 'done') assert.equal(effect, 'once', `${deed.title} that succeeded took effect`)
    if (outcome.kind === 'not done')
      assert.equal(effect, 'none', `${deed.title} that ended with ${outcome.error.code} was not applied`)
    if (deed.marks !== false && t.versions)
      checkVersion(outcome, keys.length === 1, effect === 'once', after[i])
    if (effect === 'once') effects += 1
  }
  return effects
}

/** The version of the attempt tells whether it won. */
function checkVersion(outcome: Told, single: boolean, won: boolean, after: Entry<unknown> | undefined): void {
  if (outcome.kind === 'not done') return
  const { version } = outcome
  // A batch that ended as a whole has several versions.
  if (outcome.kind === 'unknown' && single)
    assert.match(String(version), /^[0-9a-f]{24}$/, 'OUTCOME_UNKNOWN names the version of its attempt')
  if (version !== undefined)
    assert.equal(after?.version === version, won, 'the version of the attempt, found, means that it won')
}
