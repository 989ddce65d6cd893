import { useState } from 'preact/hooks'
import { type PastPoint, queryOf } from '../api.ts'
import { Chart, type Curve } from '../chart.tsx'
import { useJson } from '../hooks.ts'
import { numberText, timeText } from '../units.ts'

/** Periods, and how much of the past each shows. */
const spans = {
  minute: { title: 'two hours', ms: 7_200_000 },
  hour: { title: 'a week', ms: 604_800_000 },
  day: { title: 'three months', ms: 7_776_000_000 },
} as const

type Resolution = keyof typeof spans

/** The past of one store, over all processes. It is asked for when a reader opens it. */
export function Past({ store }: { readonly store: string }) {
  const [isOpen, open] = useState(false)
  const [resolution, choose] = useState<Resolution>('minute')
  return (
    <details onToggle={(event) => open(event.currentTarget.open)}>
      <summary>Past</summary>
      <label class="choice">
        Last
        <select value={resolution} onChange={(event) => choose(event.currentTarget.value as Resolution)}>
          {Object.entries(spans).map(([name, { title }]) => (
            <option key={name} value={name}>
              {title}
            </option>
          ))}
        </select>
      </label>
      {isOpen && <Periods store={store} resolution={resolution} />}
    </details>
  )
}

function Periods({ store, resolution }: { readonly store: string; readonly resolution: Resolution }) {
  const [now] = useState(() => Date.now())
  const query = queryOf({ store, resolution, from: now - spans[resolution].ms })
  const { value: points, error } = useJson<readonly PastPoint[]>(`api/history?${query}`)
  if (error !== undefined) return <p class="empty">{error.message}</p>
  if (points === undefined) return <p class="soft">Loading …</p>
  if (points.length === 0) return <p class="empty">Nothing was kept of this time.</p>
  const moments = [...new Set(points.map(({ at }) => at))].sort((a, b) => a - b)
  const times = moments.map((at) => at / 1_000)
  const operations = [...new Set(points.map(({ operation }) => operation))]
  const curves = (figure: (point: PastPoint) => number): readonly Curve[] =>
    operations.map((name, i) => {
      const own = new Map(
        points.filter(({ operation }) => operation === name).map((point) => [point.at, figure(point)]),
      )
      return { name, color: `--series-${i % 8}`, values: moments.map((at) => own.get(at) ?? null) }
    })
  return (
    <>
      <Chart
        title="Calls a second"
        times={times}
        curves={curves(({ calls, lengthMs }) => calls / (lengthMs / 1_000))}
        valueText={numberText}
      />
      <Chart
        title="99 % took at most"
        times={times}
        curves={curves(({ p99Ms }) => p99Ms)}
        valueText={timeText}
      />
    </>
  )
}
