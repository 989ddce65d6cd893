import type { AdaptiveTree } from '../src/learn/adaptive-tree.ts'
import type { Sample } from './streams.ts'

/** Shares of right predictions, each before the tree learns from its sample: of all, and of the last 5,000. */
export function accuracy(
  samples: readonly Sample[],
  tree: AdaptiveTree,
): { readonly all: number; readonly last: number } {
  const isRight = samples.map(([values, label]) => {
    const predicted = tree.predict(values)
    tree.learn(values, label)
    return predicted === label ? 1 : 0
  })
  return { all: mean(isRight), last: mean(isRight.slice(-5_000)) }
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum: number, value) => sum + value, 0) / values.length

export const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] as number
