import assert from 'node:assert/strict'
import { isStoreError, type StoreError } from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { assertSame, rejectsWith } from '../assertions.ts'
import { within } from '../within.ts'
import { closedPort, relay, silentServer } from './listeners.ts'
import type { OpeningCase, OpeningSection } from './opening-case.ts'
import { assertTellsNoSecret, type OpeningFixture, verbsOf, write } from './opening-fixture.ts'
import { type OpeningServer, plantedSecret } from './opening-options.ts'

/** Before the deadline of a call without an answer, in milliseconds. */
const shortMs = 300
const againMs = 100

/** Servers that are not there, do not answer, or refuse. */
export const servers: OpeningSection = ({ server }) =>
  server === undefined
    ? []
    : [
        ...absent(server),
        ...silent(server),
        ...(server.asksPassword === true ? [denied(server)] : []),
        ...(server.withTls === undefined ? [] : [withoutTls(server)]),
      ]

function absent({ address, at }: OpeningServer<object>): readonly OpeningCase[] {
  return [
    {
      title: 'a server that is not there is UNAVAILABLE with its address, and nothing was sent',
      run: async (t) => {
        const nowhere = await closedPort()
        const store = t.make(at(nowhere, plantedSecret))
        const call = callOptions()
        const error = await rejectsWith('UNAVAILABLE', () => write(store, t.value(1), call))
        assert.equal(error.retryable, true, 'it may be repeated')
        assert.notEqual(call.sent, true, 'the write is known not to be sent')
        assert.ok(error.message.includes(nowhere), `the message names ${nowhere}: ${error.message}`)
        await rejectsWith('UNAVAILABLE', verbsOf(store, t.value(1))[0] as () => unknown)
        assertTellsNoSecret(error, 'the error')
        assertTellsNoSecret(store, 'the store')
      },
    },
    {
      title: 'a store that began before its server works when that is there',
      releases: true,
      run: async (t) => {
        const nowhere = await closedPort()
        const kv = t.open(at(nowhere))
        await rejectsWith('UNAVAILABLE', () => kv.get('began early'))
        const way = await relay(nowhere, address)
        t.later(() => way.close())
        await eventually(t, () => kv.get('began early'))
        await kv.set('began early', t.value(1))
        assertSame(await kv.get('began early'), t.value(1))
        await kv.delete('began early')
        await within(t.patienceMs, 'To close the store', kv.close())
      },
    },
  ]
}

function silent({ at }: OpeningServer<object>): readonly OpeningCase[] {
  return [
    {
      title: 'a store before its first call makes no connection, and closes so',
      run: async (t) => {
        const listener = await silentServer()
        t.later(() => listener.close())
        const kv = t.open(at(listener.address))
        for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve))
        await within(t.patienceMs, 'To close the store', kv.close())
        assert.equal(listener.connections, 0, 'connections that were opened')
      },
    },
    {
      title: 'a server that says nothing keeps no call beyond its deadline, and no store open',
      releases: true,
      run: async (t) => {
        const listener = await silentServer()
        t.later(() => listener.close())
        const kv = t.open(at(listener.address))
        for (const run of [
          () => kv.get('key', { timeoutMs: shortMs }),
          () => kv.set('key', t.value(1), { timeoutMs: shortMs }),
          () => kv.get('key', { timeoutMs: againMs }),
        ])
          await rejectsWith('TIMEOUT', run)
        await within(t.patienceMs, 'To close the store', kv.close())
      },
    },
  ]
}

function denied({ address, at }: OpeningServer<object>): OpeningCase {
  return {
    title: 'a wrong password is ACCESS_DENIED to every call, and neither error nor store tells it',
    run: async (t) => {
      const store = t.make(at(address, plantedSecret))
      for (const run of verbsOf(store, t.value(1))) {
        const error = await rejectsWith('ACCESS_DENIED', run)
        assert.equal(error.retryable, false, 'it is in vain to repeat it')
        assertTellsNoSecret(error, 'the error')
      }
      assertTellsNoSecret(store, 'the store')
    },
  }
}

function withoutTls(server: OpeningServer<object>): OpeningCase {
  return {
    title: 'a server without TLS is UNAVAILABLE where TLS is asked for, and nothing was sent',
    run: async (t) => {
      const store = t.make(server.withTls?.(server.address) ?? {})
      const call = callOptions()
      await rejectsWith('UNAVAILABLE', () => write(store, t.value(1), call))
      assert.notEqual(call.sent, true, 'the write is known not to be sent')
    },
  }
}

/** Try until it succeeds: a driver may wait for a while before it connects again. */
async function eventually(t: OpeningFixture, run: () => Promise<unknown>): Promise<void> {
  const giveUpAt = performance.now() + t.patienceMs
  let last: StoreError | undefined
  while (performance.now() < giveUpAt) {
    try {
      await run()
      return
    } catch (error) {
      assert.ok(isStoreError(error), `a StoreError is thrown, not ${String(error)}`)
      last = error
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
  assert.fail(`the store works when its server is there: ${String(last)}`)
}
