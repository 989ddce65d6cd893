import { newVersion } from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { block } from '@unikv/test-kit'
import { expect, test } from 'vitest'
import { describeDrivers, proxy } from './faulty-server.ts'
import { bytes, codeOf, read, set, text } from './fresh.ts'

describeDrivers(({ through }) => {
  test('a request cut in the middle of a value leaves the old value', async () => {
    const store = through()
    await set(store, 'k', 'old')
    proxy.inject({ kind: 'cut', side: 'request', afterBytes: 5_000 })
    expect(await codeOf(set(store, 'k', 'x'.repeat(100_000)))).toBe('OUTCOME_UNKNOWN')
    expect(await text(store, 'k')).toBe('old')
  })

  test('a reset connection ends what waits on it, and the next call works', async () => {
    const store = through()
    await set(store, 'k', 'v')
    proxy.inject({ kind: 'hold', side: 'response' })
    const waiting = [read(store, 'k'), codeOf(set(store, 'k', 'w'))]
    proxy.inject({ kind: 'reset' })
    expect(await codeOf(waiting[0] as Promise<unknown>)).toBe('UNAVAILABLE')
    expect(await waiting[1]).toBe('OUTCOME_UNKNOWN')
    proxy.pass()
    expect(await text(store, 'k')).toMatch(/^[vw]$/)
  })

  test('a black hole ends what waits after socketTimeoutMs, and does not poison later calls', async () => {
    const store = through({ socketTimeoutMs: 200 })
    await set(store, 'k', 'v')
    const hole = proxy.inject({ kind: 'blackHole' })
    const waiting = [codeOf(read(store, 'k')), codeOf(set(store, 'k', 'w'))]
    await hole.struck
    expect(await Promise.all(waiting)).toEqual(['UNAVAILABLE', 'OUTCOME_UNKNOWN'])
    proxy.pass()
    expect(await text(store, 'k')).toBe('v')
  })

  test('an event loop that was blocked is not taken for a silent server', async () => {
    const store = through({ socketTimeoutMs: 40 })
    await set(store, 'k', 'v')
    for (let round = 0; round < 3; round++) {
      const answer = text(store, 'k')
      block(200)
      expect(await answer).toBe('v')
    }
  })

  test('a call that waits for a connection ends at its deadline, or when it is aborted, and is never sent', async () => {
    const store = through()
    proxy.inject({ kind: 'blackHole' })
    const late = callOptions({ deadlineAt: performance.now() + 50 })
    const answer = store.write([{ type: 'set', key: 'k', value: bytes('v'), version: newVersion() }], late)
    await expect(answer).rejects.toMatchObject({ code: 'TIMEOUT' })
    expect(late.sent).toBe(false)
    const controller = new AbortController()
    const aborted = store.write(
      [{ type: 'set', key: 'k', value: bytes('v'), version: newVersion() }],
      callOptions({ signal: controller.signal }),
    )
    controller.abort(new Error('no longer wanted'))
    await expect(aborted).rejects.toMatchObject({ code: 'ABORTED' })
    proxy.pass()
    expect(await read(store, 'k')).toBeUndefined()
  })

  test('a call whose caller was answered meanwhile is not sent when the connection is there', async () => {
    const store = through()
    const call = callOptions()
    const answer = store.write([{ type: 'set', key: 'k', value: bytes('v'), version: newVersion() }], call)
    call.settled = true
    await expect(answer).rejects.toMatchObject({ code: 'TIMEOUT' })
    expect(await read(store, 'k')).toBeUndefined()
  })

  test('close while a connection is being opened leaves none', async () => {
    for (let turns = 0; turns < 12; turns++) {
      const store = through()
      expect(store.native).toBeDefined()
      const reading = codeOf(read(store, 'k'))
      for (let i = 0; i < turns; i++) await Promise.resolve()
      await store.close()
      expect([undefined, 'CLOSED', 'UNAVAILABLE']).toContain(await reading)
      await new Promise((done) => setTimeout(done, 30))
      await expect.poll(() => proxy.connections).toBe(0)
    }
  })

  test('close ends calls in flight and leaves nothing open', async () => {
    const store = through()
    await set(store, 'k', 'v')
    proxy.inject({ kind: 'hold', side: 'response' })
    const waiting = codeOf(set(store, 'k', 'w'))
    await store.close()
    expect(await waiting).toBe('OUTCOME_UNKNOWN')
    proxy.pass()
    const opening = through()
    proxy.inject({ kind: 'blackHole' })
    const never = codeOf(read(opening, 'k'))
    await new Promise((done) => setTimeout(done, 100))
    await opening.close()
    expect(await never).toMatch(/UNAVAILABLE|CLOSED/)
  })
})
