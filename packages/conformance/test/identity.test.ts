import { conformance, testClock } from '@unikv/conformance'
import { compose, passThrough } from '@unikv/core'
import { smallMemory } from '@unikv/test-kit/vitest'
import { describe, test } from 'vitest'

const clock = testClock()
const identity = passThrough('identity', { wrap: () => ({}) })

describe('five identity layers', async () => {
  const open = () => compose(smallMemory({ clock }), [identity, identity, identity, identity, identity])
  await conformance({ test, describe, clock, open })
})
