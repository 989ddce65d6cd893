import { spawn, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { mulberry32 } from '@unikv/test-kit'
import { beforeAll, expect, test } from 'vitest'
import { AdaptiveTree } from '../src/learn/adaptive-tree.ts'
import { accuracy, median } from './accuracy.ts'
import { led, sea, stagger, tactic } from './streams.ts'

// Beside river 0.26.1, a Python package: `npm run prove -- river` fetches it with pip, which takes 150 MB.

const root = fileURLToPath(new URL('../../..', import.meta.url))
const place = join(root, '.cache/river')
const python = join(place, 'bin/python')
const seeds = [1, 2, 3, 4, 5]

beforeAll(() => {
  if (!existsSync(python)) run('python3', ['-m', 'venv', place])
  run(python, ['-m', 'pip', 'install', '--quiet', 'river==0.26.1'])
})

function run(program: string, args: readonly string[]): void {
  const { status, stderr } = spawnSync(program, args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${stderr}`)
}

async function river(
  samples: readonly (readonly [readonly number[], number])[],
): Promise<{ readonly plain: number; readonly adaptive: readonly number[] }> {
  const child = spawn(python, [join(root, 'packages/tuner/test/river-trees.py'), seeds.join(',')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  child.stdin.end(samples.map(([values, label]) => `${JSON.stringify([...values, label])}\n`).join(''))
  return JSON.parse(await text(child.stdout))
}

test.each([
  ['sea', sea],
  ['stagger', stagger],
  ['led', led],
  ['tactic', tactic],
] as const)(
  '%s: the median of ours is at most .01 below that of river',
  async (name, { features, classes, samples: drawn }) => {
    const samples = [...drawn()]
    const theirs = await river(samples)
    const plain = accuracy(samples, new AdaptiveTree({ features, classes, adapts: false })).all
    const startedAt = performance.now()
    const adaptive = seeds.map(
      (seed) => accuracy(samples, new AdaptiveTree({ features, classes, random: mulberry32(seed) })).all,
    )
    const sampleUs = ((performance.now() - startedAt) * 1000) / (seeds.length * samples.length)
    const told = { plain: theirs.plain, adaptive: median(theirs.adaptive) }
    const own = { plain, adaptive: median(adaptive) }
    console.log(
      `${name}: river ${JSON.stringify(told)}, ours ${JSON.stringify(own)}, ${sampleUs.toFixed(1)} µs a sample`,
    )
    // Plain trees are not compared: the names of the features decide which of two equal questions comes first.
    expect(own.adaptive).toBeGreaterThanOrEqual(told.adaptive - 0.01)
    if (name === 'tactic') expect.soft(sampleUs).toBeLessThan(50)
  },
  1_800_000,
)
