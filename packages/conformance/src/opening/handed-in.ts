import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { assertSame, rejectsWith } from '../assertions.ts'
import type { OpeningSection } from './opening-case.ts'
import { verbsOf } from './opening-fixture.ts'

/** Clients that the application made. */
export const handedIn: OpeningSection = ({ client: make }) =>
  make === undefined
    ? []
    : [
        {
          title: 'a client that was handed in is used, is the native one, and stays open and as it was',
          run: async (t) => {
            const { client, options, works, close } = await make()
            t.later(close)
            await works()
            const before = listenersOf(client)
            const store = t.make(options)
            assert.equal(store.native, client, 'the native client is the one that was handed in')
            const kv = t.open(options)
            await kv.set('key', t.value(1))
            assertSame(await kv.get('key'), t.value(1))
            for (const run of verbsOf(store, t.value(2))) await run()
            await Promise.all([kv.close(), kv.close(), store.close()])
            await store.close()
            for (const run of verbsOf(store, t.value(3))) await rejectsWith('CLOSED', run)
            assert.deepEqual(listenersOf(client), before, 'listeners of the client')
            await works()
            assertSame(await t.open(options).get('key'), t.value(2))
          },
        },
      ]

/** How many listen to each event. */
function listenersOf(client: unknown): Readonly<Record<string, number>> {
  if (!(client instanceof EventEmitter)) return {}
  return Object.fromEntries(
    client
      .eventNames()
      .map((name) => [String(name), client.listenerCount(name)] as const)
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  )
}
