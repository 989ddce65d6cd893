import { conformance, testClock } from '@unikv/conformance'
import { compose, passThrough } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { describe, test } from 'vitest'

const clock = testClock()
const identity = passThrough('identity', { wrap: () => ({}) })

describe('one identity layer', async () => {
  await conformance({ test, describe, clock, open: () => compose(memory({ clock }), [identity]) })
})

describe('five identity layers', async () => {
  const open = () => compose(memory({ clock }), [identity, identity, identity, identity, identity])
  await conformance({ test, describe, clock, open })
})
