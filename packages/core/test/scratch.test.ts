import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Scratch } from '../src/adapter/index.ts'

test('memory that is released is used again for a room of the same size', () => {
  const first = new Scratch(40_000)
  const { buffer } = first.take(40_000)
  first.release()
  const second = new Scratch(60_000)
  expect(second.take(1).buffer).toBe(buffer)
  second.release()
})

test('memory that is not released is nobody else’s', () => {
  const rooms = Array.from({ length: 12 }, () => new Scratch(20_000).take(20_000))
  expect(new Set(rooms.map(({ buffer }) => buffer)).size).toBe(12)
})

test('a room that is released twice is given to one', () => {
  const first = new Scratch(40_000)
  first.release()
  first.release()
  const [one, other] = [new Scratch(40_000).take(1), new Scratch(40_000).take(1)]
  expect(one.buffer).not.toBe(other.buffer)
})

test('of each size a few are kept', () => {
  const many = Array.from({ length: 20 }, () => new Scratch(100_000))
  const before = new Set(many.map((room) => room.take(1).buffer))
  for (const room of many) room.release()
  const after = Array.from({ length: 20 }, () => new Scratch(100_000).take(1).buffer)
  expect(after.filter((buffer) => before.has(buffer))).toHaveLength(4)
})

test.each([0, 1, 100, 4_097, 8_192, 8_193, 262_144, 262_145, 3_000_000])(
  'a room of %i bytes has as many',
  (bytes) => {
    const room = new Scratch(bytes)
    expect(room.take(bytes)).toHaveLength(bytes)
    room.release()
  },
)

test('rooms that are held at the same time do not overlap, whatever was released before', () => {
  const steps = fc.array(
    fc.record({ bytes: fc.nat(300_000), parts: fc.integer({ min: 1, max: 5 }), keep: fc.nat(6) }),
    {
      maxLength: 40,
    },
  )
  fc.assert(
    fc.property(steps, (all) => {
      const held: { room: Scratch; parts: Buffer[]; mark: number }[] = []
      for (const [mark, { bytes, parts, keep }] of all.entries()) {
        const room = new Scratch(bytes)
        const taken = Array.from({ length: parts }, () => room.take(Math.floor(bytes / parts)).fill(mark))
        held.push({ room, parts: taken, mark })
        while (held.length > keep) held.shift()?.room.release()
        for (const one of held)
          for (const part of one.parts) expect(part.every((byte) => byte === one.mark)).toBe(true)
      }
      for (const { room } of held) room.release()
    }),
    { numRuns: 20 },
  )
})
