import { mulberry32 } from '@unikv/test-kit'
import { someOf } from '@unikv/test-kit/vitest'
import { describe, expect, test } from 'vitest'
import { Lessons } from '../src/learn/lessons.ts'
import { lessonsStateIn } from '../src/learn/lessons-state.ts'
import { figuresOf, vectorFrom } from './observed.ts'

const tactics = ['add-index', 'add-cache', 'compress']

/** A store whose reads take so long, at any rate. */
function slow(p99Ms: number, random: () => number): Float64Array {
  return vectorFrom({ read: figuresOf(20 + Math.floor(random() * 60), p99Ms) }, { windows: 2 })
}

/** Lessons about so many stores: fast ones need nothing, slow ones a tactic. */
function taught(lessons: Lessons, count: number, tactic: string, random: () => number): void {
  for (let i = 0; i < count; i += 1)
    if (random() < 0.5) lessons.learn(slow(20 + 30 * random(), random), tactic)
    else lessons.learnNone(slow(1 + 4 * random(), random))
}

describe('lessons', { timeout: 60_000 }, () => {
  test.each(someOf(1, [1, 2, 3]))('a start that is wrong here loses within 500 samples (seed %i)', (seed) => {
    const random = mulberry32(seed)
    const before = new Lessons({ tactics, random })
    taught(before, 3000, 'add-cache', random)
    const lessons = new Lessons({ tactics, start: before.state, random })
    const store = slow(40, random)
    expect(lessons.votes(store)('add-cache')).toBeGreaterThan(0.5)
    expect(lessons.samples).toBeLessThan(200)
    taught(lessons, 500, 'add-index', random)
    expect(lessons.votes(store)('add-index')).toBeGreaterThan(0.5)
    expect(lessons.votes(store)('add-cache')).toBeLessThan(0.25)
  })

  test('the path is told in words with units', () => {
    const random = mulberry32(1)
    const lessons = new Lessons({ tactics, random })
    expect(lessons.path(slow(40, random))).toEqual([])
    taught(lessons, 3000, 'add-index', random)
    const path = lessons.path(slow(40, random))
    expect(path.length).toBeGreaterThan(1)
    expect(path[0]).toMatch(/^p\d\d of read over (5 s|30 s|5 min) is [34]\d(\.\d+)? ms, above [\d.]+ ms$/)
    expect(path.at(-1)).toMatch(/^in such cases this was right: add-index \d+(\.\d+)? %/)
  })

  test('what is restored goes on by names, whatever tactics there are now', () => {
    const random = mulberry32(2)
    const one = new Lessons({ tactics, random })
    taught(one, 1500, 'add-index', random)
    const from = lessonsStateIn('They', JSON.parse(JSON.stringify(one.state)))
    const store = slow(40, random)
    const same = new Lessons({ tactics, from })
    expect(same.state).toEqual(one.state)
    const other = new Lessons({ tactics: ['more-connections', 'add-index'], from, random })
    expect(other.samples).toBe(one.samples)
    expect(other.votes(store)('add-index')).toBeCloseTo(one.votes(store)('add-index'), 1)
    other.learn(store, 'unheard-of')
    expect(other.samples).toBe(one.samples)
    expect(other.votes(store)('unheard-of')).toBe(0)
    taught(other, 800, 'more-connections', random)
    expect(other.votes(store)('more-connections')).toBeGreaterThan(0.2)
  })

  test('a store that is well makes nothing more certain', () => {
    const lessons = new Lessons({ tactics })
    lessons.learnHealthy(slow(1, Math.random))
    expect(lessons.samples).toBe(0)
  })

  test.each([
    ['of another format', (state: object) => ({ ...state, format: 2 })],
    ['about other numbers', (state: object) => ({ ...state, features: 'x' })],
    ['with another number of classes', (state: object) => ({ ...state, classes: ['none'] })],
    ['of nothing', () => null],
  ])('lessons %s are refused', (_, damage) => {
    const { state } = new Lessons({ tactics })
    expect(() => lessonsStateIn('They', damage(state))).toThrow('They are damaged')
  })
})
