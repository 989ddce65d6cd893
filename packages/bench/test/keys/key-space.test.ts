import fc from 'fast-check'
import { expect, test } from 'vitest'
import { KeySpace } from '../../src/keys/key-space.ts'

test('a new space holds what was loaded', () => {
  const space = new KeySpace({ first: 100, count: 10 })
  expect([space.first, space.last, space.count]).toEqual([100, 109, 10])
  expect([99, 100, 109, 110].map((number) => space.has(number))).toEqual([false, true, true, false])
  expect(new KeySpace({ count: 0 })).toMatchObject({ first: 0, last: -1, count: 0 })
})

test('an inserted key exists once its insert and all before it have ended', () => {
  const space = new KeySpace({ count: 10 })
  expect([space.insert(), space.insert(), space.insert()]).toEqual([10, 11, 12])
  space.acknowledge(12)
  space.acknowledge(11)
  expect(space.last).toBe(9)
  space.acknowledge(10)
  expect(space.last).toBe(12)
})

test('a failed insert leaves a number that does not exist, and holds up no other', () => {
  const space = new KeySpace({ count: 10 })
  for (let i = 0; i < 4; i++) space.insert()
  space.acknowledge(11)
  space.abandon(10)
  space.abandon(12)
  expect(space.last).toBe(11)
  expect(space.has(10)).toBe(false)
  space.acknowledge(13)
  expect(space.last).toBe(13)
  expect([11, 12, 13].map((number) => space.has(number))).toEqual([true, false, true])
})

test('one insert without an end holds up at most 65,536 others, and counts when it ends', () => {
  const space = new KeySpace({ count: 1 })
  const slow = space.insert()
  for (let i = 0; i < 65_536; i++) space.acknowledge(space.insert())
  expect(space.last).toBe(0)
  space.acknowledge(space.insert())
  expect([space.last, space.has(slow)]).toEqual([65_538, false])
  space.acknowledge(slow)
  expect([space.last, space.has(slow)]).toEqual([65_538, true])
})

test('inserts may end in any order: exactly the acknowledged ones exist', () => {
  const numbers = Array.from({ length: 70 }, (_, number) => number)
  const ends = fc.array(fc.tuple(fc.nat(), fc.boolean()), { maxLength: 60 })
  fc.assert(
    fc.property(ends, (order) => {
      const space = new KeySpace({ first: 5, count: 3 })
      const open = order.map(() => space.insert())
      const exists = new Set([5, 6, 7])
      for (const [place, succeeds] of order) {
        const [number] = open.splice(place % open.length, 1) as [number]
        if (succeeds) exists.add(number)
        if (succeeds) space.acknowledge(number)
        else space.abandon(number)
        const bound = Math.min(...open, Number.POSITIVE_INFINITY)
        const drawable = [...exists].filter((one) => one < bound)
        expect(space.last).toBe(Math.max(...drawable))
        expect(numbers.filter((one) => space.has(one))).toEqual(drawable.sort((a, b) => a - b))
      }
    }),
  )
})
