import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { lessonsIn } from '../src/learn/before/found.ts'
import { labelOf } from '../src/learn/before/label.ts'
import { learnBefore } from '../src/learn/before/learn-before.ts'
import { Lessons } from '../src/learn/lessons.ts'
import { shipped } from '../src/learn/shipped.ts'
import { builtIn } from '../src/tactics/built-in.ts'
import { figuresOf, vectorFrom } from './observed.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'unikv-learn-'))
})
afterAll(() => rm(folder, { recursive: true }))

const round = (opsPerSecond: number): { opsPerSecond: number; p99Ms: number } => {
  return { opsPerSecond, p99Ms: 1000 / opsPerSecond }
}

test('a label needs 5 % with certainty', () => {
  const plain = [100, 110, 90, 105].map(round)
  expect(labelOf({ plain, 'small cache': [130, 145, 115, 133].map(round) })).toBe('add-cache')
  expect(labelOf({ plain, 'small cache': [103, 113, 92, 108].map(round) })).toBe('none')
  expect(labelOf({ plain, compressed: [400, 40, 300, 60].map(round) })).toBe('none')
  const compressed = [300, 330, 270, 310].map(round)
  expect(labelOf({ plain, compressed, 'large cache': [130, 145, 115, 133].map(round) })).toBe('compress')
})

test('stops and goes on, and ends in lessons with their origin', { timeout: 120_000 }, async () => {
  const file = join(folder, 'lessons.json')
  const seen: string[] = []
  const run = (most: number): Promise<unknown> => {
    const end = new AbortController()
    const onProgress = (done: number, _: number, cell: string): void => {
      seen.push(cell)
      if (done >= most) end.abort(new Error('enough'))
    }
    const small = { minutes: 0.01, mixes: ['c'] } as const
    return learnBefore({ stores: ['memory:'], file, ...small, signal: end.signal, onProgress })
  }
  await expect(run(2)).rejects.toThrow('enough')
  expect(() => lessonsIn(file, '{}')).toThrow('has no lessons yet')
  await run(100)
  expect(seen).toHaveLength(4)
  expect(new Set(seen).size).toBe(4)
  const { origin, classes } = lessonsIn(file, await readFile(file, 'utf8'))
  expect(classes[0]).toBe('none')
  expect(origin).toMatchObject({ stores: [expect.stringContaining('memory')], samples: 20 })
})

test('what unikv ships is of this version, small, and names its origin', () => {
  const state = shipped()
  expect(state?.origin).toMatchObject({ stores: expect.any(Array), at: expect.any(String) })
  const lessons = new Lessons({ tactics: builtIn.map(({ name }) => name), start: state })
  expect(lessons.samples).toBeGreaterThan(0)
  expect(lessons.samples).toBeLessThanOrEqual(150)
  const votes = lessons.votes(vectorFrom({ read: figuresOf(1000, 1) }))
  expect(votes('add-cache')).toBeGreaterThanOrEqual(0)
})
