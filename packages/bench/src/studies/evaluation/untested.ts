import { formatCallers } from '../../report/words.ts'
import type { EvaluationResult } from './result.ts'

/** The questions that the evaluation leaves open, in sentences. */
export function untestedIn({ config, stores, comparisons }: EvaluationResult): readonly string[] {
  const { candidates, sweep } = config
  const { workload, over } = sweep
  const most = over.values.at(-1) ?? 0
  const isHere = stores.every(({ url }) =>
    /^[a-z+]+:(?!\/\/)|\/\/(?:[^@/]*@)?(?:localhost|127\.|\[::1\])/i.test(url),
  )
  const notMeasured = candidates.filter(({ state }) => state === 'named' || state === 'unreachable')
  return [
    ...(notMeasured.length === 0 ? [] : [`Not measured: ${notMeasured.map(({ name }) => name).join(', ')}.`]),
    `More than ${workload.records.toLocaleString('en-US')} records, and data that no longer fits into the memory of the server.`,
    `More than ${formatCallers(most)}, and callers on more than one machine.`,
    ...(isHere
      ? [
          'The way over a network: all stores answered on this machine, and shared its processors with the callers.',
        ]
      : []),
    'The failure of nodes, recovery, backup and restore, and growth while the store serves.',
    ...(comparisons.length === 0
      ? ['Stale reads, and the price of strong consistency.']
      : ['How stale reads are: see unikv bench consistency.']),
    'The cost of operation: licenses, machines, and the knowledge of those who run the store.',
  ]
}
