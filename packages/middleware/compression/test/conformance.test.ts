import { conformance, testClock, topicsOfClients } from '@unikv/conformance'
import { compose, json } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { describe, test } from 'vitest'
import { compression } from '../src/index.ts'

const clock = testClock()

describe('compression of bytes', async () => {
  await conformance({
    test,
    describe,
    clock,
    open: () => compose(memory({ clock }), [compression({ minBytes: 0 })]),
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
    test,
    describe,
    clock,
    open: () => compose(memory({ clock }), [json(), compression({ algorithm: 'brotli', minBytes: 0 })]),
    value: (n) => ({ n, text: 'a value of some length, so that it is worth while '.repeat(1 + (n % 5)) }),
  })
})
