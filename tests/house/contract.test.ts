import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const contract = new URL('../../packages/core/src/contract/', import.meta.url)

/** Facts that layers tell each other, by the names under which they once stood in the contract: see decision 0131. */
const wires = 'absences|clears|context|delta|encoded|hearLosses|standIn|takesAtOnce|whole'
const member = new RegExp(`^ *(?:(?:declare|readonly|get|set) )*(?:${wires})\\??[:(].*$`, 'gm')

test('whoever writes an adapter reads nothing of what layers tell each other', () => {
  const sources = readdirSync(contract).map((file) => readFileSync(new URL(file, contract), 'utf8'))
  expect(sources.length).toBeGreaterThan(10)
  expect(sources.flatMap((source) => source.match(member) ?? [])).toEqual([])
  // What the contract looked like.
  expect('  readonly clears?: readonly string[]'.match(member)).toHaveLength(1)
})
