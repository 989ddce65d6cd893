import { conformance, testClock, topicsOfClients, topicsOfValues } from '@unikv/conformance'
import { type Bytes, compose, json, newVersion, type Store } from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { memory } from '@unikv/core/memory'
import { isWhole } from '@unikv/test-kit/vitest'
import { describe, test } from 'vitest'
import { compression } from '../src/index.ts'

const clock = testClock()

/** The store below each composed one. */
const below = new WeakMap<Store<Bytes>, Store<Bytes>>()
const garbage = Uint8Array.from([0xff, 0xfe, 0xc0, 0x80, 0xf5, 0x00, 0x01])

describe('compression of bytes', async () => {
  await conformance({
    test,
    describe,
    clock,
    open: () => {
      const inner = memory({ clock })
      const store = compose(inner, [compression({ minBytes: 0, maxOutputBytes: 4_194_304 })])
      below.set(store, inner)
      return store
    },
    corrupt: (store, key) =>
      below.get(store)?.write([{ type: 'set', key, value: garbage, version: newVersion() }], callOptions()),
  })
})

describe('compression without threads', async () => {
  await conformance({
    topics: topicsOfClients,
    test,
    describe,
    clock,
    open: () => compose(memory({ clock }), [compression({ threads: false, minBytes: 0 })]),
  })
})

describe('compression of JSON', async () => {
  await conformance({
    topics: isWhole ? undefined : topicsOfValues,
    test,
    describe,
    clock,
    open: () => compose(memory({ clock }), [json(), compression({ algorithm: 'brotli', minBytes: 0 })]),
    value: (n) => ({ n, text: 'a value of some length, so that it is worth while '.repeat(1 + (n % 5)) }),
  })
})
