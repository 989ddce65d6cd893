import { formatSize } from '../../../data/size-list.ts'
import type { Verdict } from '../recommend.ts'
import type { DeltaPoint, DeltasResult } from '../result.ts'
import { percent, verdictWords } from './words.ts'

/** The findings of a result, in sentences: for each store whether to use deltas. */
export function findings(result: DeltasResult): readonly string[] {
  return result.stores.flatMap(({ name: store }) => {
    const points = result.points.filter((point) => point.store === store)
    if (points.length === 0) return []
    const isChained = points.some(({ delta }) => delta.readTrips > 1.05)
    return [...recommendationsOf(store, points), ...(isChained ? [`${store}: ${chainNote}`] : [])]
  })
}

const chainNote =
  'shorter chains (--max-deltas) make reads of unknown values faster, and updates longer on average.'

/** For which sizes and edits: one sentence, or one for each kind of edit. */
export function recommendationsOf(store: string, points: readonly DeltaPoint[]): readonly string[] {
  const verdicts = [...new Set(points.map(({ recommendation }) => recommendation.verdict))]
  const [only] = verdicts
  if (verdicts.length === 1 && only !== undefined) return [`Recommendation for ${store}: ${allWords[only]}.`]
  const kinds = [...new Set(points.map(kindOf))]
  return [
    `Recommendation for ${store}: it depends.`,
    ...kinds.map((kind) => `${store}, ${kind}: ${stretches(points.filter((one) => kindOf(one) === kind))}.`),
  ]
}

const allWords: Readonly<Record<Verdict, string>> = {
  use: 'use deltas, at all sizes and edits that were measured',
  'do-not-use': 'do not use deltas, at any of the sizes and edits that were measured',
  'no-clear-difference': 'no clear difference, at any of the sizes and edits that were measured',
}

function kindOf({ edit, share }: DeltaPoint): string {
  return edit === 'random' ? edit : `${edit}, ${percent(share)}`
}

/** Neighbouring sizes of one verdict together: `do not use at 2 KB; use from 10 KB to 100 KB`. */
function stretches(points: readonly DeltaPoint[]): string {
  const found: { readonly verdict: Verdict; readonly sizes: number[] }[] = []
  for (const { size, recommendation } of points) {
    const last = found.at(-1)
    if (last?.verdict === recommendation.verdict) last.sizes.push(size)
    else found.push({ verdict: recommendation.verdict, sizes: [size] })
  }
  const only = found.length === 1 && points.length > 1
  return found
    .map(({ verdict, sizes }) => `${verdictWords[verdict]} ${only ? 'at every size' : stretch(sizes)}`)
    .join('; ')
}

function stretch(sizes: readonly number[]): string {
  const [first, last] = [sizes[0] as number, sizes.at(-1) as number]
  return first === last ? `at ${formatSize(first)}` : `from ${formatSize(first)} to ${formatSize(last)}`
}
