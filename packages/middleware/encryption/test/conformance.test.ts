import { conformance, testClock, topicsOfValues } from '@unikv/conformance'
import { type Bytes, compose, json, newVersion, type Store } from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { isWhole, smallMemory } from '@unikv/test-kit/vitest'
import { describe, test } from 'vitest'
import { encryption } from '../src/index.ts'
import { keys } from './records.ts'

const clock = testClock()

/** The store below each composed one. */
const below = new WeakMap<Store<Bytes>, Store<Bytes>>()
const garbage = Uint8Array.from([0xff, 0xfe, 0xc0, 0x80, 0xf5, 0x00, 0x01])

describe('encryption of bytes', async () => {
  await conformance({
    test,
    describe,
    clock,
    open: () => {
      const inner = smallMemory({ clock })
      const store = compose(inner, [encryption({ dataset: 'users', keys })])
      below.set(store, inner)
      return store
    },
    corrupt: (store, key) =>
      below.get(store)?.write([{ type: 'set', key, value: garbage, version: newVersion() }], callOptions()),
  })
})

describe('encryption of JSON', async () => {
  await conformance({
    topics: isWhole ? undefined : topicsOfValues,
    test,
    describe,
    clock,
    open: () =>
      compose(smallMemory({ clock }), [
        json(),
        encryption({ dataset: 'users', keys, algorithm: 'aes-128-gcm' }),
      ]),
    value: (n) => ({ n, name: `value ${n}` }),
  })
})
