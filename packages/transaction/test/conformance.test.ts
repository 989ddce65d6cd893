import { conformance, testClock } from '@unikv/conformance'
import { compose, json, keyValue } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { describe, test } from 'vitest'
import { transactional } from '../src/index.ts'

const clock = testClock()

describe('records that take part in transactions', async () => {
  const log = keyValue(memory(), [json()])
  await conformance({
    test,
    describe,
    clock,
    open: () => compose(memory({ clock }), [transactional({ log })]),
  })
})
