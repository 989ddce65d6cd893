import { figureText, type Hindsight } from '@unikv/tuner'
import type { Section } from '../columns.ts'
import { noPromises, promiseText, unitOf } from './promises.ts'

/** Proposals in hindsight, for people. */
export function hindsightSections(found: readonly Hindsight[], promises: number): Section[] {
  if (promises === 0) return [noPromises]
  if (found.length === 0)
    return [
      'No promise was broken for three minutes in a row in the past that is kept. Nothing would have been proposed.',
    ]
  return [
    {
      head: ['from (UTC)', 'minutes', 'broken promise', 'was', 'proposal'],
      rows: found.map(({ policy, fromAt, toAt, decision: { chosen, trouble, weighed } }) => [
        new Date(fromAt).toISOString().slice(0, 16).replace('T', ' '),
        String(Math.round((toAt - fromAt) / 60_000)),
        promiseText(policy),
        trouble.type === 'violation' ? figureText(trouble.violation.found, unitOf(policy)) : '',
        chosen?.candidate.title ?? `nothing: ${weighed[0]?.against ?? 'no tactic applies'}`,
      ]),
      numbers: [1],
    },
    'Servers were looked at as they are now. Nothing was changed.',
  ]
}

/** The same as data. */
export function hindsightData({ policy, fromAt, toAt, decision: { chosen, weighed } }: Hindsight): object {
  return {
    policy,
    fromAt,
    toAt,
    proposal: chosen === undefined ? null : { tactic: chosen.tactic, title: chosen.candidate.title },
    weighed: weighed.map(({ tactic, candidate, against, relief, expected }) => {
      return { tactic, title: candidate.title, relief, expected, against }
    }),
  }
}
