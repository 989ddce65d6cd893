import { describe, expect, test } from 'vitest'
import { fastRandom } from '../../../src/random/random.ts'
import { type EditPattern, editPatterns } from '../../../src/studies/deltas/config.ts'
import { edited } from '../../../src/studies/deltas/edits.ts'

const numbered = (length: number): Buffer => Buffer.from(Uint8Array.from({ length }, (_, i) => i % 96))

function editedBy(edit: EditPattern, share: number, value: Buffer, originalBytes = value.length): Buffer {
  return Buffer.from(edited(value, { edit, share, originalBytes, random: fastRandom(7) }))
}

const changedIn = (a: Buffer, b: Buffer): number => a.filter((byte, at) => byte !== b[at]).length

describe('edited', () => {
  test('appends a share of the original bytes, and nothing else changes', () => {
    const value = numbered(2_000)
    const after = editedBy('append', 0.1, value)
    expect([after.length, after.subarray(0, 2_000).equals(value)]).toEqual([2_200, true])
    expect(editedBy('append', 0.1, after, 2_000).length).toBe(2_400)
  })

  test('cuts a value back to its original length that would become more than twice as long', () => {
    const value = numbered(3_900)
    expect(editedBy('append', 0.05, value, 2_000).length).toBe(4_000)
    expect(editedBy('append', 0.06, value, 2_000)).toEqual(value.subarray(0, 2_000))
  })

  test('strews edits of 8 bytes over the whole value, together the share', () => {
    const value = numbered(80_000) // holds no letter, so each byte written over is another one
    const after = editedBy('scattered', 0.01, value)
    expect([after.length, changedIn(after, value)]).toEqual([80_000, 800])
    for (let from = 0; from < 80_000; from += 800)
      expect(changedIn(after.subarray(from, from + 800), value.subarray(from, from + 800))).toBe(8)
    expect(changedIn(editedBy('scattered', 1, value), value)).toBe(80_000)
  })

  test('moves blocks without changing, adding or losing a byte', () => {
    const value = Buffer.from(Uint8Array.from({ length: 4_000 }, (_, i) => (i * 7 + (i >> 8)) & 255))
    const after = editedBy('moves', 0.1, value)
    expect(after.equals(value)).toBe(false)
    expect(Buffer.from(after).sort()).toEqual(Buffer.from(value).sort())
  })

  test('makes another value of the same length at random', () => {
    const value = numbered(500)
    const after = editedBy('random', 1, value)
    expect([after.length, changedIn(after, value)]).toEqual([500, 500])
  })

  test.each(editPatterns)(
    '%s: the same seed gives the same value, and the argument stays as it is',
    (edit) => {
      for (const length of [1, 2, 3, 7, 8, 9, 100, 4_097])
        for (const share of [0.001, 0.01, 0.5, 1]) {
          const value = numbered(length)
          const before = Buffer.from(value)
          expect(editedBy(edit, share, value)).toEqual(editedBy(edit, share, value))
          expect(value).toEqual(before)
          const after = editedBy(edit, share, value)
          expect(after.length).toBe(
            edit === 'append' ? length + Math.max(1, Math.round(length * share)) : length,
          )
        }
    },
  )
})
