import { isDeepStrictEqual } from 'node:util'
import { mulberry32 } from '@unikv/test-kit'
import { isWhole } from '@unikv/test-kit/vitest'
import { describe, expect, test } from 'vitest'
import { AdaptiveTree } from '../src/learn/adaptive-tree.ts'
import { type Branch, judged, type Node, switchBound } from '../src/learn/nodes.ts'
import { hoeffdingBound } from '../src/learn/split.ts'
import { accuracy, median } from './accuracy.ts'
import { led, type Sample, sea, stagger, tactic } from './streams.ts'

/** Trees draw from one seed, or in the whole run from five. */
const seeds = isWhole ? [1, 2, 3, 4, 5] : [1]
/** How often a tree sees the same stream. */
const rounds = isWhole ? 6 : 4

test('bounds have the values of the papers', () => {
  const range = (classes: number): number => Math.log2(Math.max(2, classes))
  expect(hoeffdingBound(range(2), 1e-7, 200)).toBeCloseTo(0.200737, 6)
  expect(hoeffdingBound(range(3), 1e-7, 200)).toBeCloseTo(0.31816, 6)
  expect(hoeffdingBound(range(5), 1e-7, 200)).toBeCloseTo(0.466096, 6)
  expect(switchBound(0.3, 301, 301)).toBeCloseTo(0.101462, 6)
  for (const [classes, weight] of [
    [2, 3224],
    [3, 8099],
    [5, 17_380],
  ] as const) {
    expect(hoeffdingBound(range(classes), 1e-7, weight)).toBeLessThan(0.05)
    expect(hoeffdingBound(range(classes), 1e-7, weight - 1)).toBeGreaterThan(0.05)
  }
})

test.each([
  [0.2, 301, undefined],
  [0.1, 301, 'switch'],
  [0.1, 300, undefined],
  [0.4, 301, undefined],
  [0.5, 301, 'drop'],
])('an alternate with an error of %d over %d samples beside one of 0.3: %s', (mean, width, verdict) => {
  const old = { errors: { mean: 0.3, width: 301 } } as Branch
  expect(judged(old, { errors: { mean, width } } as Node)).toBe(verdict)
})

test.each([
  ['sea', sea, [24_609, 15_391], 601_008.380172],
  ['stagger', stagger, [16_699, 13_301], 90_140],
  ['led', led, [4035, 3945, 4045, 3875, 4055, 4027, 4111, 3980, 3952, 3975], 525_515],
  ['tactic', tactic, [17_674, 8_847, 6_422, 3_791, 3_266], 20_483_363.659837],
] as const)('%s is the stream that others have', (_name, stream, counts, sum) => {
  const samples = [...stream.samples()]
  const found = counts.map((_, label) => samples.filter((sample) => sample[1] === label).length)
  expect(found).toEqual(counts)
  expect(samples.flatMap(([values]) => values).reduce((all, value) => all + value, 0)).toBeCloseTo(sum, 4)
})

test('the first row of sea and the last of tactic are those of the reference', () => {
  const [values, label] = sea.samples().next().value as Sample
  expect(values.map((value) => value.toFixed(4))).toEqual(['6.0110', '4.4829', '8.5247'])
  expect(label).toBe(0)
  expect([...tactic.samples()].at(-1)?.[1]).toBe(1)
})

// River's shares, and by how much ours may fall below, must gain by adapting, and must reach at the end.
describe.each([
  ['sea', sea, { plain: 0.8379, adaptive: 0.8481 }, { below: 0.015, gain: 0.005, atEnd: 0.84 }],
  ['stagger', stagger, { plain: 0.7902, adaptive: 0.9375 }, { below: 0.04, gain: 0.05, atEnd: 0.97 }],
  ['led', led, { plain: 0.5692, adaptive: 0.6594 }, { below: 0.03, gain: 0.06, atEnd: 0.7 }],
  ['tactic', tactic, { plain: 0.8164, adaptive: 0.8733 }, { below: 0.03, gain: 0.02, atEnd: 0.88 }],
] as const)('%s', (_name, stream, river, { below, gain, atEnd }) => {
  test('is learned as well as by river', () => {
    const { features, classes } = stream
    const samples = [...stream.samples()]
    const plain = accuracy(samples, new AdaptiveTree({ features, classes, adapts: false }))
    expect(plain.all).toBeGreaterThan(river.plain - 0.01)
    const runs = seeds.map((seed) =>
      accuracy(samples, new AdaptiveTree({ features, classes, random: mulberry32(seed) })),
    )
    const all = median(runs.map((run) => run.all))
    expect(all).toBeGreaterThanOrEqual(river.adaptive - below)
    expect(all - plain.all).toBeGreaterThanOrEqual(gain)
    expect(median(runs.map((run) => run.last))).toBeGreaterThanOrEqual(atEnd)
  })
})

test('where nothing changes, adapting costs next to nothing', () => {
  const { features, classes } = sea
  const samples = [...sea.samples()].slice(0, 10_000)
  const plain = accuracy(samples, new AdaptiveTree({ features, classes, adapts: false }))
  const adaptive = accuracy(samples, new AdaptiveTree({ features, classes, random: mulberry32(1) }))
  expect(adaptive.all).toBeGreaterThan(plain.all - 0.01)
})

test('what is restored goes on as if it had never ended, and explains itself', () => {
  const { features, classes } = tactic
  const [one, samples] = [new AdaptiveTree({ features, classes, adapts: false }), [...tactic.samples()]]
  for (const [values, label] of samples.slice(0, 15_000)) one.learn(values, label)
  const from = JSON.parse(JSON.stringify(one.state))
  const other = new AdaptiveTree({ features, classes, adapts: false, from })
  let differing = 0
  for (const [values, label] of samples.slice(15_000, 25_000)) {
    if (!isDeepStrictEqual(other.votes(values), one.votes(values))) differing += 1
    one.learn(values, label)
    other.learn(values, label)
  }
  expect(differing).toBe(0)
  expect(JSON.stringify(other.state)).toBe(JSON.stringify(one.state))
  const [values] = samples[0] as Sample
  const { steps, weights } = one.explain(values)
  expect(steps.length).toBeGreaterThan(0)
  for (const { feature, value, threshold, isAtMost } of steps) {
    expect(value).toBe(values[feature])
    expect(value <= threshold).toBe(isAtMost)
  }
  expect(weights).toHaveLength(classes)
})

test(`a stream ${rounds} times over has no more than sixty nodes, and takes no more memory in the end`, () => {
  const { features, classes } = tactic
  const tree = new AdaptiveTree({ features, classes, random: mulberry32(1) })
  const sizes: number[] = []
  const bytes: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    for (const [values, label] of tactic.samples()) tree.learn(values, label)
    sizes.push(tree.size)
    bytes.push(JSON.stringify(tree.state).length)
  }
  expect(Math.max(...sizes)).toBeLessThanOrEqual(60)
  expect(Math.max(...bytes.slice(rounds / 2))).toBeLessThan(1.25 * Math.max(...bytes.slice(0, rounds / 2)))
})
