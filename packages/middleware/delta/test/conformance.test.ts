import { conformance, testClock } from '@unikv/conformance'
import { compose, json } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { describe, test } from 'vitest'
import { delta } from '../src/index.ts'
import { revision } from './samples.ts'

const clock = testClock()

describe('deltas of bytes', async () => {
  await conformance({
    test,
    describe,
    clock,
    value: revision,
    open: () => compose(memory({ clock }), [delta({ clock, minBytes: 0, inlineBytes: 200, maxDeltas: 4 })]),
  })
})

describe('deltas of bytes that nothing is remembered of', async () => {
  await conformance({
    test,
    describe,
    clock,
    value: revision,
    open: () => compose(memory({ clock }), [delta({ clock, memoryBytes: 0, readBeforeWrite: true })]),
  })
})

describe('deltas of small values', async () => {
  await conformance({ test, describe, clock, open: () => compose(memory({ clock }), [delta({ clock })]) })
})

describe('deltas of JSON', async () => {
  await conformance<unknown>({
    test,
    describe,
    clock,
    open: () => compose(memory({ clock }), [json(), delta({ clock, inlineBytes: 0 })]) as never,
    value: (n) => ({ n, text: 'a value of some length, so that it is worth while '.repeat(30 + (n % 5)) }),
  })
})
