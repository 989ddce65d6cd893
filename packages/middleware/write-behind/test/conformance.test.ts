import { conformance, testClock } from '@unikv/conformance'
import { compose, type Store } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { describe, test } from 'vitest'
import { type WriteBehindOptions, writeBehind } from '../src/index.ts'

const clock = testClock()
const goesOn = () => {}
/** Topics in which it matters what is queued, and when it reaches the store. */
const topics =
  /^(read and write|batches$|write, and|conditions|races|take|expiry$|touch|increment|versions|errors|cancellation|lifecycle)/

const behind = (options: WriteBehindOptions) => {
  const store = memory({ clock })
  // A value that is too large for plain memory has 256 MiB, which are copied before they are refused.
  const small = { ...store, capabilities: { ...store.capabilities, maxValueBytes: 500_000 } }
  return compose(small, [writeBehind({ clock, ...options })]) as unknown as Store<Uint8Array>
}

describe('acknowledged in memory', async () => {
  await conformance({ test, describe, clock, open: () => behind({ background: goesOn }) })
})

describe('acknowledged in memory, in a queue that is always full', async () => {
  const open = () => behind({ background: goesOn, delayMs: 0, maxQueued: 2, maxBatch: 3 })
  await conformance({ topics, test, describe, clock, open })
})

describe('acknowledged in a journal', async () => {
  const open = () => behind({ background: goesOn, journal: memory() })
  await conformance({ topics, test, describe, clock, open })
})

describe('awaited, as nobody takes work that outlives the answer', async () => {
  await conformance({ topics, test, describe, clock, open: () => behind({ delayMs: 0 }) })
})
