import { beforeAll, expect, inject, test } from 'vitest'
import { node } from './run.ts'

// Functions that take a signal, with those of jsdom and of a polyfill: `program/signals.mjs`.

let told: Record<string, string>

beforeAll(async () => {
  const { output } = await node(inject('project'), ['signals.mjs'])
  told = JSON.parse(output.split('\n').find((line) => line.startsWith('{')) ?? JSON.stringify({ output }))
})

test('a signal that is not aborted disturbs nothing', () => {
  const wrong = Object.entries(told).filter(([name, how]) => !name.includes('aborted') && how !== 'done')
  expect(wrong).toEqual([])
  expect(Object.keys(told).length).toBeGreaterThan(40)
})

test('a signal that was aborted before ends the call before anything is sent', () => {
  const wrong = Object.entries(told).filter(([name, how]) => name.endsWith('before') && how !== 'ABORTED')
  expect(wrong).toEqual([])
})

test('a signal that is aborted later ends what waits', () => {
  const later = Object.entries(told).filter(([name]) => name.endsWith('later'))
  for (const [name, how] of later)
    expect(how, name).toMatch(
      /^(closedLoop|openLoop|runStudy)/.test(name) ? /^(done|AbortError)$/ : /^(ABORTED|OUTCOME_UNKNOWN)$/,
    )
})
