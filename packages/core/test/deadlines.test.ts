import { expect, test } from 'vitest'
import { Deadlines } from '../src/deadlines.ts'
import { keyValue } from '../src/index.ts'
import { silentStore, slowStore } from './slow-store.ts'

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

test('a blocked event loop makes no false timeout', async () => {
  const { store } = slowStore({ pause: () => pause(1) })
  const kv = keyValue(store, [], { timeoutMs: 100 })
  const waiting = Array.from({ length: 20 }, (_, i) => kv.get(`k${i}`))
  await pause(0)
  const end = performance.now() + 400
  while (performance.now() < end);
  await expect(Promise.all(waiting)).resolves.toHaveLength(20)
})

test('deadlines expire in order, never early, and removed ones never', async () => {
  const deadlines = new Deadlines()
  const expired: string[] = []
  const startedAt = performance.now()
  const entry = (name: string, ms: number) =>
    deadlines.add(ms, { expire: () => expired.push(`${name} ${performance.now() - startedAt >= ms}`) })
  entry('b', 80)
  entry('a', 40)
  deadlines.remove(entry('never', 40))
  const twice = entry('never either', 80)
  deadlines.remove(twice)
  deadlines.remove(twice)
  await pause(250)
  expect(expired).toEqual(['a true', 'b true'])
})

test('no timer keeps running when nothing waits', async () => {
  const kv = keyValue(silentStore(), [], { timeoutMs: 30 })
  await expect(kv.get('a')).rejects.toMatchObject({ code: 'TIMEOUT' })
  await pause(60)
  const resources = process.getActiveResourcesInfo().filter((name) => name === 'Timeout')
  expect(resources.length).toBeLessThanOrEqual(1)
})
