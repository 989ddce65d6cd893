import { test, vi } from 'vitest'
import { cell, storesOf } from './cells.mjs'
import { scenario } from './scenario.mjs'

const { OUTSIDE_TIMERS: timers } = process.env

if (timers === 'before') vi.useFakeTimers()
const unikv = await import('@unikv/core')
const [{ memory }, { lmdb }, { redis }, { postgres }] = await Promise.all([
  import('@unikv/core/memory'),
  import('@unikv/lmdb'),
  import('@unikv/redis'),
  import('@unikv/postgres'),
])

const stores = storesOf({ memory, lmdb, redis, postgres })

test.each(Object.keys(stores))('%s', { timeout: 60_000 }, async (name) => {
  const store = stores[name]()
  if (timers === 'after') vi.useFakeTimers()
  const pass = timers && (() => vi.advanceTimersByTimeAsync(10))
  await cell(name, () => scenario(unikv, store, pass))
})
