import { mark, unmark } from '@unikv/core/adapter'
import { isPage, type Outcome } from '../jobs.ts'

/** Outcomes as data: classes do not survive the crossing between threads. */
export function toPlain(outcomes: readonly Outcome[]): readonly unknown[] {
  return outcomes.map((outcome) => withErrors(outcome, mark))
}

/** Outcomes of data. */
export function fromPlain(outcomes: readonly unknown[]): readonly Outcome[] {
  return (outcomes as readonly Outcome[]).map((outcome) => withErrors(outcome, unmark))
}

function withErrors(outcome: Outcome, change: (one: unknown) => unknown): Outcome {
  if ('error' in outcome) return { error: change(outcome.error) } as Outcome
  const { answer } = outcome
  if (!isPage(answer)) return { answer: (answer as readonly unknown[]).map(change) } as Outcome
  const entries = answer.entries.map((one) => ('entry' in one ? { ...one, entry: change(one.entry) } : one))
  return { answer: { ...answer, entries } } as Outcome
}
