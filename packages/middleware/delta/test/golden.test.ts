import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Random } from '@unikv/test-kit/schedules'
import { describe, expect, test } from 'vitest'
import { patch } from '../src/index.ts'
import { randomPair } from './pairs.ts'
import { outcomeOf, real } from './subject.ts'

/** What `golden/make.py`, an implementation in another language, wrote. */
interface Golden {
  readonly name: string
  readonly base: string
  readonly delta: string
  /** `null`: refused. */
  readonly target: string | null
}

const script = fileURLToPath(new URL('golden/make.py', import.meta.url))
const golden = JSON.parse(readFileSync(new URL('golden/deltas.json', import.meta.url), 'utf8')) as Golden[]
const bytes = (hex: string): Buffer => Buffer.from(hex, 'hex')
const hex = (value: Uint8Array): string => Buffer.from(value).toString('hex')

describe('golden deltas', () => {
  test('there are more than 15 that are read and 15 that are refused', () => {
    expect(golden.filter(({ target }) => target !== null).length).toBeGreaterThan(15)
    expect(golden.filter(({ target }) => target === null).length).toBeGreaterThan(15)
  })

  test.each(golden.filter(({ target }) => target !== null))(
    '$name gives its target',
    ({ base, delta, target }) => {
      expect(hex(patch(bytes(base), bytes(delta)))).toBe(target)
    },
  )

  test.each(golden.filter(({ target }) => target === null))('$name is refused', ({ base, delta }) => {
    expect(outcomeOf(() => patch(bytes(base), bytes(delta)))).toBe('CORRUPT')
  })

  test('the example of the specification is what diff makes', () => {
    const delta = real.diff(Buffer.from('The cat sat.'), Buffer.from('The big cat sat.'))
    expect(hex(delta)).toBe('f8100c1d93b4610000096269672004' + '07')
  })
})

const hasPython = spawnSync('python3', ['--version']).status === 0

describe.skipIf(!hasPython)(`the Python program${hasPython ? '' : ': SKIPPED, no python3'}`, () => {
  const answersOf = (
    cases: readonly { readonly base: string; readonly delta: string }[],
  ): readonly string[] => {
    const input = cases.map((one) => JSON.stringify(one)).join('\n')
    const { status, stdout } = spawnSync('python3', [script, '--apply'], { input, maxBuffer: 2 ** 28 })
    expect(status).toBe(0)
    return stdout.toString().trimEnd().split('\n')
  }

  test('would write the committed file again', () => {
    expect(spawnSync('python3', [script, '--check']).status).toBe(0)
  })

  test('applies 1,000 of our deltas', () => {
    const random = new Random(7)
    const cases = Array.from({ length: 1000 }, (_, i) => {
      const { base, target, options } = randomPair(random, i % 100 === 0 ? 30_000 : 500)
      return { base: hex(base), delta: hex(real.diff(base, target, options)), target: hex(target) }
    })
    expect(answersOf(cases)).toEqual(cases.map(({ target }) => target))
  })

  test('refuses what we refuse, of 2,000 damaged deltas', () => {
    const random = new Random(8)
    const cases = Array.from({ length: 2000 }, () => {
      const { base, target, options } = randomPair(random, 200)
      const delta = Buffer.from(real.diff(base, target, options))
      const at = random.below(Math.min(delta.length, 20))
      delta[at] = random.below(256)
      const ours = outcomeOf(() => patch(base, delta, { maxOutputBytes: 2 ** 30 }))
      return { base: hex(base), delta: hex(delta), ours: typeof ours === 'string' ? 'refused' : hex(ours) }
    })
    const refused = cases.filter(({ ours }) => ours === 'refused').length
    expect(refused).toBeGreaterThan(1500)
    expect(refused).toBeLessThan(2000)
    expect(answersOf(cases)).toEqual(cases.map(({ ours }) => ours))
  })
})
