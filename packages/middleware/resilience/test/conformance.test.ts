import { conformance, testClock, topicsOfClients, topicsOfServers } from '@unikv/conformance'
import { compose, keyValue } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { sync } from '@unikv/core/sync'
import { describe, expect, test } from 'vitest'
import { resilience } from '../src/index.ts'
import { flakyStore } from './flaky-store.ts'

describe('over a store that answers at once', async () => {
  const clock = testClock()
  const open = () => compose(memory({ clock }), [resilience()])
  await conformance({ topics: topicsOfClients, test, describe, clock, open })
})

describe('over a store that answers by promise', async () => {
  await conformance({
    topics: topicsOfServers,
    test,
    describe,
    open: () => compose(flakyStore(), [resilience({ hedge: { afterMs: 'p95' } })]),
  })
})

test('an answer at hand stays without a promise', () => {
  const kv = sync(keyValue(memory(), [resilience()]))
  kv.set('a', Buffer.from('1'))
  expect(kv.get('a')).toEqual(new Uint8Array([49]))
})
