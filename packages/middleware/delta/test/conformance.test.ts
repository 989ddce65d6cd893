import { conformance, testClock, topicsOfClients, topicsOfServers } from '@unikv/conformance'
import { compose } from '@unikv/core'
import { isWhole, smallMemory } from '@unikv/test-kit/vitest'
import { describe, test } from 'vitest'
import { delta } from '../src/index.ts'
import { revision } from './samples.ts'

const clock = testClock()

describe('deltas of bytes', async () => {
  await conformance({
    topics: isWhole ? undefined : topicsOfServers,
    test,
    describe,
    clock,
    value: revision,
    open: () =>
      compose(smallMemory({ clock }), [delta({ clock, minBytes: 0, inlineBytes: 200, maxDeltas: 4 })]),
  })
})

describe('deltas of bytes that nothing is remembered of', async () => {
  await conformance({
    topics: isWhole ? undefined : topicsOfClients,
    test,
    describe,
    clock,
    value: revision,
    open: () => compose(smallMemory({ clock }), [delta({ clock, memoryBytes: 0, readBeforeWrite: true })]),
  })
})
