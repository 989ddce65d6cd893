import assert from 'node:assert/strict'
import { assertSame } from '../assertions.ts'
import type { NetworkFixture } from './network-fixture.ts'
import { reads } from './reads.ts'

/** Keys with a value of their own each. */
const count = 60
const impatientMs = 100

/** Give up reads whose answers are on their way, and read on over the same connections: every call gets its own answer. */
export async function answerLate(t: NetworkFixture): Promise<void> {
  const keys = await unique(t)
  for (let round = 0; round < 4 * t.rounds; round++) {
    const held = t.proxy.inject({ kind: 'hold', side: 'response' })
    const givenUp = keys
      .slice(0, 20)
      .map((key) => t.watch.time(impatientMs, () => reads(() => t.kv.get(key, { timeoutMs: impatientMs }))))
    await held.struck
    const answered = await Promise.all(givenUp)
    assert.ok(answered.includes(false), 'the reads were given up')
    const patient = getAll(t, keys)
    t.proxy.pass()
    await patient
    await getAll(t, t.random.shuffle(keys))
    await t.recovered()
  }
  t.watch.check()
}

/** Cut answers in the middle while many calls wait for theirs: each gets its own, whole, or an error. */
export async function cutAnswers(t: NetworkFixture): Promise<void> {
  const keys = await unique(t)
  await getAll(t, keys)
  for (let round = 0; round < 4 * t.rounds; round++) {
    t.proxy.inject({ kind: 'cut', side: 'response', afterBytes: 1 + t.random.below(400) })
    await Promise.all([getAll(t, t.random.shuffle(keys)), getAll(t, keys)])
    t.proxy.pass()
    await t.recovered()
    await getAll(t, keys)
  }
}

async function unique(t: NetworkFixture): Promise<string[]> {
  const keys = Array.from({ length: count }, (_, i) => t.key(`unique ${i}`))
  const results = await t.direct.setMany(keys.map((key, i) => [key, t.value(100 + i)] as const))
  for (const result of results) assert.ok(!(result instanceof Error))
  numbers.set(t, new Map(keys.map((key, i) => [key, 100 + i])))
  return keys
}

const numbers = new WeakMap<NetworkFixture, ReadonlyMap<string, number>>()

async function getAll(t: NetworkFixture, keys: readonly string[]): Promise<void> {
  const known = numbers.get(t)
  await Promise.all(
    keys.map((key) =>
      reads(async () =>
        assertSame(await t.kv.get(key), t.value(known?.get(key) as number), 'a call gets its own answer'),
      ),
    ),
  )
}
