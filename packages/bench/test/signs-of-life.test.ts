import { expect, test, vi } from 'vitest'
import { SignsOfLife } from '../src/run/progress.ts'

test('signs of life go on while a cell is measured and after one was refused, and end when asked', async () => {
  const namespaces = new Map<string, { heartbeat(): Promise<void> }>()
  const signs = new SignsOfLife(namespaces, 1)
  let told = 0
  let isUnderWay = false
  namespaces.set('a store', {
    heartbeat: async () => {
      isUnderWay = true
      await new Promise((resolve) => setImmediate(resolve))
      isUnderWay = false
      if (++told === 1) throw new Error('It is not there now.')
    },
  })
  await vi.waitFor(() => expect(told).toBeGreaterThan(2))
  await signs.end()
  expect(isUnderWay).toBe(false)
  const before = told
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(told).toBe(before)
})
