import { conformance, testClock } from '@unikv/conformance'
import { compose, passThrough } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { describe, test } from 'vitest'

const clock = testClock()
const identity = passThrough('identity', { wrap: () => ({}) })

describe('five identity layers', async () => {
  const open = () => compose(memory({ clock }), [identity, identity, identity, identity, identity])
  await conformance({ test, describe, clock, open })
})
