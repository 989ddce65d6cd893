import { conformance, testClock, topicsOfClients } from '@unikv/conformance'
import { compose, passThrough } from '@unikv/core'
import { describe, test } from 'vitest'
import { remoteMemory } from './remote-memory.ts'

const clock = testClock()

describe('calls that overtake each other', async () => {
  await conformance({ test, describe, clock, open: () => remoteMemory({ clock }) })
})

describe('calls that overtake each other, below a layer', async () => {
  const identity = passThrough('identity', { wrap: () => ({}) })
  const open = () => compose(remoteMemory({ clock }), [identity])
  await conformance({ topics: topicsOfClients, test, describe, clock, open })
})
