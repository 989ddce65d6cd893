import { isStoreError } from '@unikv/core'
import { Random } from '@unikv/test-kit/schedules'
import { describe, expect, test } from 'vitest'
import { type DiffOptions, diff, patch } from '../src/index.ts'
import { outcomeOf } from './subject.ts'

const text = (value: string): Buffer => Buffer.from(value)

/** What a delta costs besides the bytes that are new: header, checksum, a few instructions. */
const overhead = 32

function noise(length: number, seed = 1): Buffer {
  const random = new Random(seed)
  return Buffer.from(Array.from({ length }, () => random.below(256)))
}

/** The length of the delta, after a look whether it gives the target. */
function deltaLength(base: Uint8Array, target: Uint8Array, options?: DiffOptions): number {
  const delta = diff(base, target, options)
  expect(Buffer.compare(patch(base, delta), target)).toBe(0)
  return delta.length
}

describe('diff', () => {
  const base = noise(20_000)

  test('of equal bytes is a header and one copy', () => {
    expect(deltaLength(base, Buffer.from(base))).toBe(1 + 3 + 3 + 4 + 1 + 3)
    expect(deltaLength(Buffer.alloc(0), Buffer.alloc(0))).toBe(7)
  })

  test('copies what is written over around, inserted before, appended and left out', () => {
    const edited = Buffer.from(base)
    for (const at of [0, 777, 5000, 19_999]) edited[at] = (edited[at] as number) ^ 1
    const targets = [
      edited,
      Buffer.concat([text('in front'), base]),
      Buffer.concat([base, text('behind')]),
      Buffer.concat([base.subarray(0, 9000), text('between'), base.subarray(9000)]),
      Buffer.concat([base.subarray(0, 9000), base.subarray(9100)]),
      base.subarray(300, 15_000),
      Buffer.concat([base.subarray(10_000), base.subarray(0, 10_000)]),
      Buffer.concat([base, base, base]),
    ]
    for (const target of targets) expect(deltaLength(base, target)).toBeLessThan(overhead + 8)
  })

  test('finds at least four of five parts of windowSize + step - 1 bytes, wherever they went', () => {
    for (const [windowSize, step] of [
      [5, 1],
      [8, 4],
      [12, 6],
      [16, 3],
      [32, 16],
      [32, 32],
      [20, 64],
    ] as const) {
      const length = windowSize + step - 1
      const found = Array.from({ length: 100 }, (_, i) => {
        const part = base.subarray(500 + 37 * i, 500 + 37 * i + length)
        const target = Buffer.concat([noise(200, 2), part, noise(200, 3)])
        return deltaLength(base, target, { windowSize, step }) <= 400 + 24 + step
      })
      expect(found.filter(Boolean).length, `${windowSize}/${step}`).toBeGreaterThanOrEqual(80)
    }
  })

  test('takes no shorter part than windowSize from elsewhere', () => {
    const part = base.subarray(500, 540)
    const target = Buffer.concat([noise(200, 2), part, noise(200, 3)])
    expect(deltaLength(base, target, { windowSize: 40, step: 1 })).toBeLessThan(target.length - 20)
    expect(deltaLength(base, target, { windowSize: 41, step: 1 })).toBeGreaterThan(target.length)
  })

  test('of unrelated bytes is the target and at most 20 bytes', () => {
    for (const length of [0, 1, 3, 4, 100, 5000]) {
      const options = { windowSize: 4, step: 1 }
      expect(deltaLength(base, noise(length, 9))).toBeLessThanOrEqual(length + 20)
      expect(deltaLength(base, noise(length, 9), options)).toBeLessThanOrEqual(length + 20)
    }
  })

  test('finds a row that was put in between rows of the same width', () => {
    const row = (i: number): string =>
      `${String(i).padStart(8, '0')} status=ok level=info node=a ${'.'.repeat(28)}\n`
    const rows = Array.from({ length: 2000 }, (_, i) => row(i * 37))
    const target = [...rows.slice(0, 500), row(7), ...rows.slice(500)]
    expect(deltaLength(text(rows.join('')), text(target.join('')))).toBeLessThan(2 * overhead)
  })

  test('gives bytes of their own: later calls do not write into earlier answers', () => {
    const target = Buffer.concat([base, text('more')])
    const delta = diff(base, target)
    const copy = Buffer.from(delta)
    diff(noise(5000, 5), noise(5000, 6))
    expect(Buffer.from(delta)).toEqual(copy)
  })

  test('takes any Uint8Array, also a view into a larger buffer', () => {
    const wide = Buffer.concat([text('abc'), base, text('xyz')])
    const view = new Uint8Array(wide.buffer, wide.byteOffset + 3, base.length)
    const target = Uint8Array.from([...base.subarray(3000), 1, 2, 3])
    expect(Buffer.from(diff(view, target))).toEqual(Buffer.from(diff(base, target)))
    const shared = new Uint8Array(new SharedArrayBuffer(base.length))
    shared.set(base)
    expect(deltaLength(shared, target)).toBeLessThan(overhead)
  })

  test('of zeros with something between is short', () => {
    const zeros = Buffer.alloc(100_000)
    expect(deltaLength(zeros, Buffer.alloc(99_000))).toBeLessThan(overhead)
    expect(deltaLength(zeros, Buffer.concat([text('a'), zeros, text('b'), zeros]))).toBeLessThan(overhead)
  })
})

describe('patch', () => {
  const base = noise(3000)
  const target = Buffer.concat([base.subarray(1000), text('new'), base.subarray(0, 1000)])
  const delta = diff(base, target)

  test('refuses the delta of another base, and a base of another length', () => {
    for (let at = 0; at < base.length; at += 97) {
      const other = Buffer.from(base)
      other[at] = (other[at] as number) ^ 255
      expect(outcomeOf(() => patch(other, delta))).toBe('CORRUPT')
    }
    expect(outcomeOf(() => patch(base.subarray(1), delta))).toBe('CORRUPT')
    expect(outcomeOf(() => patch(Buffer.alloc(0), delta))).toBe('CORRUPT')
  })

  test('takes another base that has the same bytes wherever the delta copies', () => {
    const part = diff(base, base.subarray(100, 200))
    const other = Buffer.from(base)
    other[2000] = (other[2000] as number) ^ 255
    expect(outcomeOf(() => patch(other, part))).toEqual(base.subarray(100, 200))
  })

  test('stops at maxOutputBytes, before anything is made', () => {
    expect(patch(base, delta, { maxOutputBytes: target.length }).length).toBe(target.length)
    expect(outcomeOf(() => patch(base, delta, { maxOutputBytes: target.length - 1 }))).toBe('VALUE_TOO_LARGE')
    const large = Buffer.alloc(64 * 1_048_576 + 1)
    expect(outcomeOf(() => patch(large, diff(large, large)))).toBe('VALUE_TOO_LARGE')
  })

  test('gives bytes of its own, also where all is one copy', () => {
    const same = patch(base, diff(base, base))
    same[0] = (same[0] as number) ^ 1
    expect(same[0]).not.toBe(base[0])
  })

  test('says what is wrong, and no values', () => {
    try {
      patch(text('a secret base'), delta)
      expect.unreachable()
    } catch (error) {
      expect(isStoreError(error) && error.message).toBe(
        'The delta belongs to a base of 3000 bytes, this one has 13. It was damaged, written by a newer version, or made of another base.',
      )
    }
  })
})

test('what is no bytes is INVALID_VALUE', () => {
  for (const wrong of [
    undefined,
    null,
    'text',
    [1, 2],
    {},
    new ArrayBuffer(4),
    new Uint16Array(4),
  ] as never[]) {
    expect(outcomeOf(() => diff(wrong, text('a')))).toBe('INVALID_VALUE')
    expect(outcomeOf(() => diff(text('a'), wrong))).toBe('INVALID_VALUE')
    expect(outcomeOf(() => patch(wrong, text('a')))).toBe('INVALID_VALUE')
    expect(outcomeOf(() => patch(text('a'), wrong))).toBe('INVALID_VALUE')
  }
})

test('settings out of their range are INVALID_CONFIG', () => {
  for (const wrong of [0, -1, 1.5, Number.NaN, 1025, Number.POSITIVE_INFINITY, '16' as unknown as number])
    for (const options of [{ windowSize: wrong }, { step: wrong }])
      expect(outcomeOf(() => diff(text('a'), text('b'), options))).toBe('INVALID_CONFIG')
  expect(outcomeOf(() => diff(text('a'), text('b'), { windowSize: 3 }))).toBe('INVALID_CONFIG')
  for (const maxOutputBytes of [0, -1, Number.NaN, Number.POSITIVE_INFINITY])
    expect(outcomeOf(() => patch(text('a'), text('b'), { maxOutputBytes }))).toBe('INVALID_CONFIG')
})
