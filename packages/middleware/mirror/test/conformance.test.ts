import { conformance, testClock, topicsOfClients, topicsOfValues } from '@unikv/conformance'
import { compose, json, type Store } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { isWhole, smallMemory } from '@unikv/test-kit/vitest'
import { describe, test } from 'vitest'
import { fallback, mirror } from '../src/index.ts'

const clock = testClock()

describe('a mirror', async () => {
  const open = () => mirror(smallMemory({ clock }), smallMemory({ clock, name: 'second' }))
  await conformance({ test, describe, clock, open })
})

describe('a mirror that does not wait, with a durable journal', async () => {
  await conformance({
    topics: isWhole ? undefined : topicsOfClients,
    test,
    describe,
    clock,
    open: () =>
      mirror(smallMemory({ clock }), smallMemory({ clock, name: 'second' }), {
        acknowledge: 'primary',
        background: () => {},
        journal: memory({ name: 'journal' }),
      }),
  })
})

describe('a mirror whose secondary does less', async () => {
  const bare = (): Store<Uint8Array> => {
    const second = smallMemory({ clock, name: 'second' })
    const capabilities = {
      ...second.capabilities,
      ttl: false,
      conditionalWrite: false,
      maxKeyBytes: 300,
    } as const
    return { ...second, capabilities }
  }
  const topics = isWhole ? undefined : /^(declared|conditions|write, and|keys|limits|expiry$|touch)/
  await conformance({ topics, test, describe, clock, open: () => mirror(smallMemory({ clock }), bare()) })
})

describe('objects over a mirror', async () => {
  await conformance<unknown>({
    topics: isWhole ? undefined : topicsOfValues,
    test,
    describe,
    clock,
    value: (n) => ({ name: `person ${n}`, tags: [n, { at: null }] }),
    open: () =>
      compose(mirror(smallMemory({ clock }), smallMemory({ clock, name: 'second' })), [json()]) as never,
  })
})

describe('a fallback', async () => {
  const open = () =>
    fallback(smallMemory({ clock }), smallMemory({ clock, name: 'second' }), { scans: 'fallback' })
  await conformance({ test, describe, clock, open })
})

describe('a fallback over a mirror', async () => {
  const open = () => {
    const second = smallMemory({ clock, name: 'second' })
    return fallback(mirror(smallMemory({ clock }), second), second)
  }
  await conformance({ topics: topicsOfClients, test, describe, clock, open })
})
