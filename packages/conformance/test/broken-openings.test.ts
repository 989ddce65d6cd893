import { collectingRunner, opening } from '@unikv/conformance'
import { describe, expect, test } from 'vitest'
import { brokenOpenings } from './broken/openings.ts'
import { shelfOpening } from './shelf/shelf-opening.ts'

test('a sound adapter passes the whole suite, and each of its cases finds a broken one', async () => {
  const { hooks, close } = await shelfOpening()
  const titles = new Set<string>()
  const runner = collectingRunner({ only: (_, title) => titles.add(title).size > 0 })
  opening({ ...runner, ...hooks })
  const { failed } = await runner.run()
  close()
  expect(failed.map(({ title, error }) => `${title}: ${String(error)}`)).toEqual([])
  expect(new Set(brokenOpenings.map(({ found }) => found))).toEqual(titles)
})

describe('the suite finds an adapter that', () => {
  for (const { fault, found, breaks } of brokenOpenings) {
    test(fault, async () => {
      const { hooks, close } = await shelfOpening()
      const runner = collectingRunner({ only: (_, title) => title === found })
      opening({ ...runner, ...hooks, ...breaks(hooks) })
      const { passed, failed } = await runner.run()
      close()
      expect(passed + failed.length).toBe(1)
      expect(failed.map(({ title }) => title)).toEqual([found])
      expect(String(failed[0]?.error)).not.toContain('The test did not end')
    })
  }
})
