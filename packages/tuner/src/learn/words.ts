import { figureText } from '../explain/figure-text.ts'
import type { Unit } from './features/feature.ts'
import { features } from './features.ts'
import type { Step } from './nodes.ts'

/** The questions that led to a leaf, and what was right there, in words. */
export function pathText(
  steps: readonly Step[],
  weights: readonly number[],
  classes: readonly string[],
): readonly string[] {
  const questions = steps.map(questionText)
  const answer = answerText(weights, classes)
  return answer === undefined ? questions : [...questions, answer]
}

/** `p99 of read over 30 s is 41 ms, above 12.5 ms`. */
function questionText({ feature, value, threshold, isAtMost }: Step): string {
  const { name, unit } = features[feature] ?? { name: `number ${feature}`, unit: 'count' }
  if (unit === 'yes') return `${name}: ${value > 0.5 ? 'yes' : 'no'}`
  const shown = name.replace(/^mix of (\w+)/, 'share of $1 in all calls')
  return `${shown} is ${valueText(value, unit)}, ${isAtMost ? 'not above' : 'above'} ${valueText(threshold, unit)}`
}

function valueText(value: number, unit: Unit): string {
  if (unit === 'count') return figureText(value, '').trim()
  const [amount, per] = unit.split('/')
  return per !== undefined && amount === 'bytes'
    ? `${figureText(value, amount)}/${per}`
    : figureText(value, unit)
}

function answerText(weights: readonly number[], classes: readonly string[]): string | undefined {
  const all = weights.reduce((sum, weight) => sum + weight, 0)
  if (all === 0) return undefined
  const parts = weights
    .map((weight, i) => [classes[i] === 'none' ? 'no change' : (classes[i] ?? ''), weight / all] as const)
    .filter(([, share]) => share >= 0.01)
    .toSorted(([, a], [, b]) => b - a)
  return `in such cases this was right: ${parts.map(([name, share]) => `${name} ${figureText(share, 'share')}`).join(', ')}`
}
