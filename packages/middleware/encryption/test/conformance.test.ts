import { conformance, testClock } from '@unikv/conformance'
import { compose, json } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { describe, test } from 'vitest'
import { encryption } from '../src/index.ts'
import { keys } from './records.ts'

const clock = testClock()

describe('encryption of bytes', async () => {
  await conformance({
    test,
    describe,
    clock,
    open: () => compose(memory({ clock }), [encryption({ dataset: 'users', keys })]),
  })
})

describe('encryption of JSON', async () => {
  await conformance({
    test,
    describe,
    clock,
    open: () =>
      compose(memory({ clock }), [json(), encryption({ dataset: 'users', keys, algorithm: 'aes-128-gcm' })]),
    value: (n) => ({ n, name: `value ${n}` }),
  })
})
