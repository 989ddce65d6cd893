import { formatSize } from '../../../data/size-list.ts'
import type { StudyReport } from '../../../study/study-report.ts'
import { viewed } from '../../../study/viewed.ts'
import type { DeltaPoint, DeltasResult } from '../plan.ts'
import type { Verdict } from '../recommend.ts'
import { plots, summary } from './views.ts'
import { percent, verdictWords } from './weighed.ts'

/** How the study tells what it found. */
export const report: StudyReport<DeltasResult> = {
  title: 'Whole values or deltas',
  sections: [
    {
      id: 'update',
      title: 'Updates',
      lead: 'Time of an update: the whole new value, or only the change.',
    },
    {
      id: 'read',
      title: 'Reads',
      lead: 'Time of a read by a process that does not know the value: one record, or a base and its deltas.',
    },
  ],
  findings,
  ...viewed({ rows: ({ rows }) => rows, summary, plots }),
  setup: ({ config }) => [
    ['runs', `${config.runs} of each point after a warm-up; chains of at most ${config.maxDeltas} deltas`],
  ],
  method,
}

/** How it was measured, as HTML. */
function method({ config }: DeltasResult): string {
  const { runs, updates, maxDeltas } = config
  return `<p>Each key is updated ${updates} times in a run, once by a program that writes whole values and once by the delta layer with chains of at most ${maxDeltas}. Both go on with the same values. Every point was measured ${runs} ${runs === 1 ? 'time' : 'times'}, after one run that is not counted; runs go through all stores, sizes and edits in turn. After each update the value is read by a process that does not know it, and by one that knew it before.</p>
<p>The value of a point is the mean of its runs; the bars and ± are the half-width of the 95 % confidence interval of that mean, by Student’s t over the runs. The recommendation compares an update and its reads, within each run. <a href="https://github.com/unikv/unikv/blob/main/docs/guides/bench-deltas.md">The guide</a> has its rule.</p>`
}

/** The findings of a result, in sentences: for each store whether to use deltas. */
function findings(result: DeltasResult): readonly string[] {
  return result.stores.flatMap(({ name: store }) => {
    const points = result.points.filter((point) => point.store === store)
    if (points.length === 0) return []
    const isChained = result.rows.some(
      ({ store: its, measure, dimensions: { way, operation }, value }) =>
        its === store &&
        way === 'delta' &&
        operation === 'read' &&
        measure === 'round trips' &&
        Number(value) > 1.05,
    )
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
