import { conformance, testClock, topicsOfClients, topicsOfServers } from '@unikv/conformance'
import { compose } from '@unikv/core'
import { isWhole, smallMemory } from '@unikv/test-kit/vitest'
import { describe, test } from 'vitest'
import { parts } from '../src/index.ts'

const clock = testClock()

describe('values in parts of three bytes', async () => {
  await conformance({
    topics: isWhole ? undefined : topicsOfServers,
    test,
    describe,
    clock,
    open: () =>
      compose(smallMemory({ clock }), [
        parts({ clock, above: 2, size: 3, maxValueBytes: isWhole ? 1_000_000 : 50_000 }),
      ]),
  })
})

describe('values in parts that nobody looks at before', async () => {
  await conformance({
    topics: isWhole ? undefined : topicsOfClients,
    test,
    describe,
    clock,
    open: () =>
      compose(smallMemory({ clock }), [parts({ clock, above: 64, size: 16, readBeforeWrite: false })]),
  })
})
