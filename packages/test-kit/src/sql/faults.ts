import { setTimeout as pause } from 'node:timers/promises'
import { isStoreError, keyValue, newVersion } from '@unikv/core'
import { expect, test } from 'vitest'
import { block, codeOf, mutate } from '../calls.ts'
import type { BehindProxy } from './behind-proxy.ts'
import type { OpenSql, SqlBench } from './bench.ts'

const value = Buffer.from('value')

/** Declares tests of calls that wait for a connection, or whose connection fails. `open` opens the store without a proxy. */
export function testFaults(bench: SqlBench, behindProxy: BehindProxy, open: OpenSql = bench.store): void {
  testWaiting(behindProxy)
  testSilence(behindProxy)
  testBlocked(bench, open)
}

function testWaiting(behindProxy: BehindProxy): void {
  test('a deadline covers the wait for a connection, and what waited was certainly not sent', async () => {
    const { proxy, store, direct } = await behindProxy({ maxConnections: 1 })
    await mutate(store, { type: 'set', key: 'a', value })
    const held = proxy.inject({ kind: 'hold', side: 'response' })
    const blocking = mutate(store, { type: 'set', key: 'a', value }, 700)
    await held.struck
    expect(await mutate(store, { type: 'set', key: 'b', value }, 100)).toMatchObject({ code: 'TIMEOUT' })
    const aborted = new AbortController()
    const call = { deadlineAt: performance.now() + 5_000, signal: aborted.signal }
    const waiting = store.write([{ type: 'set', key: 'c', value, version: newVersion() }], call)
    aborted.abort()
    expect(await blocking).toMatchObject({ code: 'OUTCOME_UNKNOWN' })
    proxy.pass()
    expect((await waiting)[0]).toMatchObject({ code: 'ABORTED' })
    expect(await direct.getMany(['b', 'c'])).toEqual([undefined, undefined])
  })

  test('more statements than may wait are OVERLOADED at once', async () => {
    const { proxy, store } = await behindProxy({ maxConnections: 1, queueLimit: 3 })
    proxy.inject({ kind: 'hold', side: 'response' })
    const calls = Array.from({ length: 10 }, (_, i) =>
      codeOf(mutate(store, { type: 'set', key: `${i}`, value }, 500)),
    )
    const startedAt = performance.now()
    const firstRefused = await Promise.any(
      calls.map(async (call) =>
        (await call) === 'OVERLOADED' ? performance.now() : Promise.reject(new Error('not refused')),
      ),
    )
    expect(firstRefused - startedAt).toBeLessThan(400)
    expect((await Promise.all(calls)).filter((code) => code === 'OVERLOADED').length).toBeGreaterThanOrEqual(
      6,
    )
  })
}

function testSilence(behindProxy: BehindProxy): void {
  test('closing while the server is silent ends within its patience and leaves nothing', async () => {
    const { proxy, store } = await behindProxy()
    proxy.inject({ kind: 'blackHole' })
    const call = codeOf(mutate(store, { type: 'set', key: 'key', value }, 60_000))
    await pause(50)
    const startedAt = performance.now()
    await store.close()
    expect(performance.now() - startedAt).toBeLessThan(3_000)
    expect(await call).toMatch(/OUTCOME_UNKNOWN|UNAVAILABLE|CLOSED/)
  })

  test('a page of a scan that fails is an error, never the end of the scan', async () => {
    const { proxy, store } = await behindProxy()
    const kv = keyValue(store)
    await kv.setMany(Array.from({ length: 50 }, (_, i) => [`key ${i}`, value]))
    const seen: string[] = []
    const scan = async () => {
      for await (const key of kv.keys({ pageSize: 10 })) {
        seen.push(key)
        if (seen.length === 20) proxy.inject({ kind: 'cut', side: 'response', afterBytes: 0 })
      }
    }
    await expect(scan()).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    expect(seen).toHaveLength(20)
  })
}

function testBlocked(bench: SqlBench, open: OpenSql): void {
  test('an event loop that was blocked for longer than the deadline does not time out what was answered', async () => {
    // Not by the proxy, which is of this process and is blocked too.
    const store = open({ url: bench.url, table: await bench.table() })
    await mutate(store, { type: 'set', key: 'key', value })
    const readBlocked = async () => {
      const call = { deadlineAt: performance.now() + 500 }
      const answer = store.read([{ key: 'key' }], call)
      await pause(0)
      await new Promise((resolve) => setImmediate(resolve)) // it is sent
      // The server has a second after the deadline, too.
      block(call.deadlineAt + 1_000 - performance.now())
      return (await answer)[0]
    }
    let result = await readBlocked()
    // A driver may look after its connection first: then nothing was sent, and nothing could be answered.
    for (let attempt = 1; attempt < 5 && isStoreError(result); attempt++) result = await readBlocked()
    expect(result).toMatchObject({ value })
  })
}
