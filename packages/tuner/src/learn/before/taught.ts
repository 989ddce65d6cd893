import { arch, cpus, platform } from 'node:os'
import { fastRandom, shuffledIndexes } from '@unikv/bench/statistics'
import { Lessons } from '../lessons.ts'
import type { LessonsState } from '../lessons-state.ts'
import type { NodeState } from '../nodes.ts'
import type { Found } from './found.ts'

/** Each sample is learned so often, in an order of its own: a start weighs little in any case. */
const epochs = 15

/** Lessons from what was found, and where they come from. */
export function taught({ cells, stores }: Found, now: number): LessonsState {
  const samples = Object.values(cells).flatMap(({ label, vectors }) =>
    vectors.map((vector) => ({ vector, label })),
  )
  const tactics = [...new Set(samples.map(({ label }) => label))].filter((name) => name !== 'none').sort()
  const random = fastRandom(1)
  const lessons = new Lessons({ tactics, random: () => random.next() })
  for (let epoch = 0; epoch < epochs; epoch += 1)
    for (const i of shuffledIndexes(samples.length, random)) {
      const { vector, label } = samples[i] as (typeof samples)[number]
      if (label === 'none') lessons.learnNone(vector)
      else lessons.learn(vector, label)
    }
  const { state } = lessons
  const origin = {
    at: new Date(now).toISOString(),
    machine: machine(),
    stores,
    samples: samples.length,
    epochs,
  }
  return { ...state, tree: rounded(state.tree), origin }
}

function machine(): string {
  const all = cpus()
  return `${platform()} ${arch()}, ${all.length} x ${all[0]?.model.trim() ?? 'unknown'}, Node.js ${process.versions.node}`
}

/** Four digits are enough, but values that are all alike stay as they are. */
function rounded(tree: NodeState): NodeState {
  const text = JSON.stringify(tree, (key, value: unknown) => {
    if (key === 'seen' && Array.isArray(value))
      return value.map((own: readonly unknown[]) => own.map(shortened))
    return value
  })
  return JSON.parse(text) as NodeState
}

function shortened(one: unknown): unknown {
  if (!Array.isArray(one) || one[4] === 0) return one
  return one.map((value: number) => Number(value.toPrecision(4)))
}
