import { expect, test } from 'vitest'
import { movingPages } from '../src/adapter/moving-pages.ts'
import type { Page } from '../src/contract/store.ts'

const range = { prefix: 'p', pageSize: 2, values: false }

async function listed(
  isOrdered: boolean,
  pages: readonly Page<unknown>[],
  resume?: string,
  reverse = false,
): Promise<string[]> {
  async function* served() {
    yield* pages
  }
  const keys: string[] = []
  for await (const { entries } of movingPages('store', isOrdered, { ...range, resume, reverse }, served()))
    keys.push(...entries.map(({ key }) => key))
  return keys
}

const page = (keys: readonly string[], resume?: string): Page<unknown> => ({
  entries: keys.map((key) => ({ key })),
  resume,
})

test('pages that move on pass, empty ones too', async () => {
  expect(await listed(true, [page(['pa', 'pb'], '1'), page([], '2'), page(['pc'])])).toEqual([
    'pa',
    'pb',
    'pc',
  ])
  expect(await listed(false, [page(['pb', 'pa'], '1'), page(['pa'])])).toEqual(['pb', 'pa', 'pa'])
})

test('a listing in reverse moves from the last key to the first', async () => {
  expect(await listed(true, [page(['pc', 'pb'], '1'), page(['pa'])], undefined, true)).toEqual([
    'pc',
    'pb',
    'pa',
  ])
  const back = listed(true, [page(['pb'], '1'), page(['pc'])], undefined, true)
  await expect(back).rejects.toMatchObject({ code: 'CORRUPT' })
})

test.each<[string, boolean, readonly Page<unknown>[], string?]>([
  ['repeats its position', false, [page(['pa'], '1'), page(['pb'], '1')]],
  ['stays where it was resumed', false, [page(['pa'], '1')], '1'],
  [
    'goes in a circle',
    false,
    Array.from({ length: 40 }, (_, i) => page(['pa'], `turn ${i < 3 ? i : 3 + (i % 5)}`)),
  ],
  ['goes in a circle of empty pages', true, Array.from({ length: 40 }, (_, i) => page([], `${i % 3}`))],
  ['repeats a key', true, [page(['pa'], '1'), page(['pa'], '2')]],
  ['goes back', true, [page(['pb'], '1'), page(['pa'], '2')]],
  ['holds a key outside the range', true, [page(['q'])]],
])('a listing that %s is CORRUPT', async (_, isOrdered, pages, resume) => {
  await expect(listed(isOrdered, pages, resume)).rejects.toMatchObject({ code: 'CORRUPT' })
})
