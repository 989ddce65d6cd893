import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { isStoreError } from '@unikv/core'
import { assertSame } from '../assertions.ts'
import type { NetworkFixture } from './network-fixture.ts'

/** A store that was idle for so long must not depend on its old connections. Drivers have clocks of their own. */
const idleMs = 4_500
/** Less than the 5 s after which drivers give up a silent connection by themselves. */
const promptMs = 4_000

/** Call before there is a server, more than once, and when it has come. */
export async function startBeforeServer(t: NetworkFixture): Promise<void> {
  const key = t.key('started before')
  await t.direct.set(key, t.value(1))
  const kv = await t.another()
  t.proxy.inject({ kind: 'reset' })
  for (let call = 0; call < 2; call++) {
    const error = await kv.get(key).then(
      () => undefined,
      (reason: unknown) => reason,
    )
    assert.ok(isStoreError(error), 'a call without a server fails')
    assert.equal(error.code, 'UNAVAILABLE', error.message)
    assert.equal(error.retryable, true, 'it may be repeated')
  }
  t.proxy.pass()
  assertSame(await kv.get(key), t.value(1))
  await kv.set(key, t.value(2))
  assertSame(await kv.get(key), t.value(2))
  await kv.close()
}

/** Let all open connections die without a word between calls: a frozen process, or a network that forgets. */
export async function callAfterPause(t: NetworkFixture): Promise<void> {
  const keys = Array.from({ length: 4 }, (_, i) => t.key(`idle ${i}`))
  // More than one connection, where a store has several.
  await t.recovered(keys)
  await Promise.all(keys.flatMap((key) => [t.kv.get(key), t.kv.has(key), t.kv.get(key)]))
  t.proxy.inject({ kind: 'forget' })
  await pause(idleMs)
  const settings = { timeoutMs: promptMs }
  const [written = '', ...others] = keys
  const write = t.kv.set(written, t.value(2), settings)
  for (const found of await Promise.all(others.map((key) => t.kv.get(key, settings))))
    assertSame(found, t.value(1))
  await write
  assertSame(await t.kv.get(written, settings), t.value(2))
}
