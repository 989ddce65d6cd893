import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parts } from '../src/batches/parts.ts'

const sizesOf = (count: number, bytes = 100): number[] =>
  parts(
    Array.from({ length: count }, () => ({ bytes })),
    1_000_000,
  ).map(({ length }) => length)

test('a statement more is taken where repeating rows would cost more', () => {
  expect([1, 2, 3, 4, 9, 17, 24].map((count) => sizesOf(count))).toEqual([
    [1],
    [2],
    [4],
    [4],
    [8, 1],
    [16, 1],
    [16, 8],
  ])
  expect([5, 7, 15, 29, 31, 32].map((count) => sizesOf(count))).toEqual([[8], [8], [16], [32], [32], [32]])
})

test('large rows are never repeated', () => {
  expect(sizesOf(31, 5_000)).toEqual([16, 8, 4, 2, 1])
})

test('every row goes once, in order, in statements of powers of two within the bytes', () => {
  const anyRows = fc.array(fc.integer({ min: 1, max: 6_000 }), { maxLength: 300 })
  fc.assert(
    fc.property(anyRows, fc.integer({ min: 1, max: 100_000 }), (sizes, maxBytes) => {
      const rows = sizes.map((bytes, index) => ({ bytes, index }))
      const cut = parts(rows, maxBytes)
      expect(cut.flatMap((part) => part.filter((row, i) => row !== part[i - 1]))).toEqual(rows)
      for (const part of cut) {
        expect(Math.log2(part.length) % 1).toBe(0)
        const bytes = part.reduce((sum, row) => sum + row.bytes, 0)
        expect(part.length === 1 || bytes <= maxBytes).toBe(true)
      }
    }),
  )
})
