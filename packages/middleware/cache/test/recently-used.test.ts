import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Linked, RecentlyUsed } from '../src/recently-used.ts'

interface Item extends Linked<Item> {
  readonly id: number
}

const maxEntries = 5
const maxBytes = 100

/** The same by an array, the one used last at its end. */
class Model {
  items: Item[] = []
  evictions = 0

  get(key: string): Item | undefined {
    const item = this.items.find((one) => one.key === key)
    if (item !== undefined) this.items = [...this.items.filter((one) => one !== item), item]
    return item
  }

  set(item: Item): void {
    this.delete(item.key)
    if (item.bytes > maxBytes) return
    this.items.push(item)
    while (this.items.length > maxEntries || this.bytes > maxBytes) {
      this.items.shift()
      this.evictions++
    }
  }

  delete(key: string): void {
    this.items = this.items.filter((one) => one.key !== key)
  }

  get bytes(): number {
    return this.items.reduce((sum, { bytes }) => sum + bytes, 0)
  }
}

const key = fc.integer({ min: 0, max: 9 }).map(String)
const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant('get' as const), key }) },
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constant('set' as const), key, bytes: fc.integer({ min: 0, max: 110 }) }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('peek' as const), key }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('delete' as const), key }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('clear' as const) }) },
)

test('keeps what was used last, whatever is done in whatever order', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const model = new Model()
      let evictions = 0
      const kept = new RecentlyUsed<Item>({ maxEntries, maxBytes }, () => evictions++)
      for (const [id, one] of steps.entries()) {
        if (one.do === 'get') expect(kept.get(one.key)).toBe(model.get(one.key))
        else if (one.do === 'peek')
          expect(kept.peek(one.key)).toBe(model.items.find((item) => item.key === one.key))
        else if (one.do === 'set') {
          const item: Item = { id, key: one.key, bytes: one.bytes, newer: undefined, older: undefined }
          kept.set(item)
          model.set(item)
        } else if (one.do === 'delete') {
          kept.delete(one.key)
          model.delete(one.key)
        } else {
          kept.clear()
          model.items = []
        }
        expect([kept.size, kept.bytes, evictions]).toEqual([model.items.length, model.bytes, model.evictions])
      }
      const left = model.items.map((item) => item.key)
      expect(left.map((name) => kept.peek(name)?.id)).toEqual(model.items.map(({ id }) => id))
    }),
    { numRuns: 500 },
  )
})

test('an entry that was forgotten can be kept again', () => {
  const kept = new RecentlyUsed<Item>({ maxEntries, maxBytes }, () => {})
  const item: Item = { id: 1, key: 'a', bytes: 1, newer: undefined, older: undefined }
  kept.set(item)
  kept.set({ id: 2, key: 'b', bytes: 1, newer: undefined, older: undefined })
  kept.clear()
  expect(kept.peek('a')).toBeUndefined()
  kept.set({ id: 3, key: 'a', bytes: 1, newer: undefined, older: undefined })
  expect(kept.get('a')?.id).toBe(3)
  expect([kept.size, kept.bytes]).toEqual([1, 1])
})
