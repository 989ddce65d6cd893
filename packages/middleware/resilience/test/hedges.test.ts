import { getEventListeners } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { isStoreError, keyValue, type ReadResult, StoreError, text } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { describe, expect, test } from 'vitest'
import { type ResilienceOptions, resilience } from '../src/index.ts'

type Answer = readonly ReadResult<Uint8Array>[]

/** A store of which the first and the second read of a key are answered when the test says so. */
function twice(options: ResilienceOptions = {}) {
  const inner = memory()
  const asked: { give: (change?: (answer: Answer) => Answer) => void; fail: () => void }[] = []
  const store = {
    ...inner,
    capabilities: { ...inner.capabilities, sync: 'none' as const },
    read: (...args: Parameters<typeof inner.read>): Promise<Answer> =>
      new Promise((resolve, reject) => {
        const answer = inner.read(...args) as Answer
        asked.push({
          give: (change = (it) => it) => resolve(change(answer)),
          fail: () => reject(new StoreError('UNAVAILABLE', 'down')),
        })
      }),
  }
  const layer = resilience({ retry: false, hedge: { afterMs: 1, budget: 1 }, ...options })
  const kv = keyValue(store, [text(), layer], { coalesce: false })
  const bothAsked = async () => {
    await expect.poll(() => asked.length, { timeout: 30_000, interval: 1 }).toBe(2)
    return asked as unknown as readonly [(typeof asked)[0], (typeof asked)[0]]
  }
  return { kv, layer, asked, bothAsked }
}

const without = (n: number) => (answer: Answer) => answer.with(n, new StoreError('CORRUPT', 'damaged'))

const told = (work: Promise<unknown>): Promise<unknown> =>
  work.catch((error: unknown) => {
    if (!isStoreError(error)) throw error
    const results = error.results?.map((one) =>
      isStoreError(one) ? one.code : (one as { value: unknown }).value,
    )
    return [error.code, results]
  })

describe('results of one of two reads that has errors, too', () => {
  test.each([
    ['the other one fails', 'PARTIAL', 'CORRUPT'],
    ['the other one has the same errors', 'PARTIAL', 'CORRUPT'],
    ['the other one never answers', 'PARTIAL', 'CORRUPT'],
    ['the other one has what is missing', '1', '2'],
  ])('are kept if %s', async (what, ...expected) => {
    for (const order of [0, 1] as const) {
      const { kv, layer, bothAsked } = twice()
      await kv.setMany([
        ['a', '1'],
        ['b', '2'],
      ])
      const answer = told(kv.getMany(['a', 'b'], { timeoutMs: what.endsWith('answers') ? 2_000 : 60_000 }))
      const both = await bothAsked()
      both[order].give(without(1))
      // Whoever comes second comes later.
      await new Promise((resolve) => void setImmediate(resolve))
      const other = both[order === 0 ? 1 : 0]
      if (what.endsWith('fails')) other.fail()
      else if (what.endsWith('errors')) other.give(without(1))
      else if (what.endsWith('missing')) other.give(without(0))
      const [first, second] = expected
      expect(await answer).toEqual(first === 'PARTIAL' ? ['PARTIAL', ['1', second]] : ['1', '2'])
      const hedgesWon = order === 1 || what.endsWith('missing') ? 1 : 0
      expect(layer.stats()[0]).toMatchObject({ hedges: 1, hedgesWon })
    }
  })
})

test('no second read waits for a place: it would wait for the first one, and keep others out', async () => {
  const { kv, asked, layer } = twice({ concurrency: { limit: 1, queue: 1 } })
  await kv.set('a', '1')
  const both = told(kv.getMany(['a', 'b'], { timeoutMs: 3_600_000 }))
  await pause(50)
  const other = told(kv.get('c', { timeoutMs: 3_600_000 }))
  asked[0]?.give(without(1))
  expect(await both).toEqual(['PARTIAL', ['1', 'CORRUPT']])
  asked[1]?.give()
  expect(await other).toBeUndefined()
  expect(layer.stats()[0]).toMatchObject({ hedges: 0, refusedByConcurrency: 0 })
})

test('the signal of the call ends both reads', async () => {
  const { kv, bothAsked } = twice()
  const controller = new AbortController()
  const answer = told(kv.get('a', { signal: controller.signal }))
  await bothAsked()
  controller.abort()
  expect(await answer).toEqual(['ABORTED', undefined])
})

test('10,000 reads with one signal leave nothing behind', { timeout: 600_000 }, async () => {
  setFlagsFromString('--expose-gc')
  const gc = runInNewContext('gc') as () => void
  const inner = memory()
  const store = {
    ...inner,
    capabilities: { ...inner.capabilities, sync: 'none' as const },
    read: async (...args: Parameters<typeof inner.read>) => inner.read(...args),
  }
  const kv = keyValue(store, [resilience({ hedge: { afterMs: 600_000, budget: 1 } })], { coalesce: false })
  const { signal } = new AbortController()
  const used: number[] = []
  for (let round = 0; round < 3; round++) {
    for (let i = 0; i < 5_000; i++) await kv.get('a', { signal, timeoutMs: 600_000 })
    // What is weakly held by the signal goes in a turn of its own.
    for (let i = 0; i < 5; i++) await new Promise((resolve) => void setImmediate(() => resolve(gc())))
    used.push(process.memoryUsage().heapUsed)
  }
  const [first, , last] = used as [number, number, number]
  // 10,000 signals of `AbortSignal.any` take more than 1 MB.
  expect(last - first).toBeLessThan(5e5)
  expect(getEventListeners(signal, 'abort').length).toBeLessThan(2)
})
