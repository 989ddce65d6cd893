import { formatExact } from '../../report/words/units.ts'
import type { SetupLine } from '../../study/study-report.ts'
import type { ClientOptions } from '../given/client-plan.ts'

/** Operations of the runs of a store, and calls that reached it for them; `null`: not counted. */
export interface CountedCalls {
  readonly store: string
  readonly operations: number
  readonly calls: number | null
}

/** The way from the callers to the stores, in a line of the setup; nothing for results that do not tell it. */
export function callLines(
  { merge, connections }: Omit<ClientOptions, 'allowMisses'>,
  counted: readonly CountedCalls[],
): readonly SetupLine[] {
  const known = counted.flatMap(({ calls, ...one }) => (calls === null ? [] : [{ ...one, calls }]))
  if (known.length === 0) return []
  const how =
    merge === 'on' ? 'merged, as those of one application' : 'not merged: each caller has its own client'
  const over =
    connections === 'each'
      ? 'the store is opened once for each caller'
      : connections === 1
        ? 'over the connections of one open store'
        : `the store is opened ${formatExact(connections)} times`
  const counts = [...new Set(known.map(({ store }) => store))].map((store) => {
    const own = known.filter((one) => one.store === store)
    const [calls, operations] = (['calls', 'operations'] as const).map((of) =>
      own.reduce((sum, one) => sum + one[of], 0).toLocaleString('en-US'),
    )
    return `${store} got ${calls} for ${operations} operations`
  })
  return [['calls', `${how}; ${over}; ${counts.join(', ')}`]]
}
