import { jest } from '@jest/globals'
import { cell, storesOf } from './cells.mjs'
import { scenario } from './scenario.mjs'

// The drivers of servers wait for the loop by these, and never end where they stand still.
const doNotFake = ['nextTick', 'setImmediate', 'queueMicrotask']
const { OUTSIDE_TIMERS: timers } = process.env

if (timers === 'before') jest.useFakeTimers({ doNotFake })
const unikv = await import('@unikv/core')
const [{ memory }, { lmdb }, { redis }, { postgres }] = await Promise.all([
  import('@unikv/core/memory'),
  import('@unikv/lmdb'),
  import('@unikv/redis'),
  import('@unikv/postgres'),
])

const stores = storesOf({ memory, lmdb, redis, postgres })

test.each(Object.keys(stores))(
  '%s',
  async (name) => {
    const store = stores[name]()
    if (timers === 'after') jest.useFakeTimers({ doNotFake })
    const pass = timers && (() => jest.advanceTimersByTimeAsync(10))
    await cell(name, () => scenario(unikv, store, pass))
  },
  60_000,
)
