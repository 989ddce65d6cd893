import type { FiguresNow, Overview } from '../api.ts'
import { Chart } from '../chart.tsx'
import type { LiveFigures } from '../hooks.ts'
import { numberText, shareText, timeText } from '../units.ts'
import { Past } from './past.tsx'

type StoreView = Overview['stores'][number]

/** How each store does. */
export function StoresView({ overview, live }: { readonly overview: Overview; readonly live: LiveFigures }) {
  if (overview.stores.length === 0)
    return <p class="empty">There are no stores here that you may see. Ask for a token that names them.</p>
  return (
    <>
      <h1>Stores</h1>
      {!overview.hasMonitor && (
        <p class="status">
          Calls are not counted here. Add <code>monitor: true</code> to the configuration to see rates and
          latencies.
        </p>
      )}
      <div class="cards">
        {overview.stores.map((store) => (
          <StoreCard
            key={store.name}
            store={store}
            frames={live.frames}
            hasData={overview.hasData}
            hasPast={overview.hasPast}
          />
        ))}
      </div>
    </>
  )
}

interface CardProps {
  readonly store: StoreView
  readonly frames: readonly FiguresNow[]
  readonly hasData: boolean
  readonly hasPast: boolean
}

function StoreCard({ store, frames, hasData, hasPast }: CardProps) {
  const { name, title, layers } = store
  return (
    <section class="card" aria-label={name}>
      <h2>
        {name} <span class="soft">{title}</span>
        {hasData && <a href={`#data/${encodeURIComponent(name)}`}>Look inside</a>}
      </h2>
      <p class="path">
        <span class="soft">call</span>
        {[...layers, store.adapter].map((layer) => (
          <span key={layer} class="layer">
            {layer}
          </span>
        ))}
      </p>
      <StoreFigures name={name} frames={frames} />
      {hasPast && <Past store={name} />}
    </section>
  )
}

function StoreFigures({ name, frames }: { readonly name: string; readonly frames: readonly FiguresNow[] }) {
  const now = frames.at(-1)?.stores[name]
  if (now === undefined) return <p class="empty">No call has come since counting began.</p>
  const times = frames.slice(1).map(({ at }) => at / 1_000)
  const operations = Object.keys(now)
  const curves = operations.map((operation, i) => ({
    name: operation,
    color: `--series-${i % 8}`,
    values: frames.slice(1).map((frame, k) => rate(frames[k] as FiguresNow, frame, name, operation)),
  }))
  return (
    <>
      <OperationTable name={name} frames={frames} />
      {times.length > 1 && (
        <Chart title="Calls a second" times={times} curves={curves} valueText={numberText} />
      )}
    </>
  )
}

function OperationTable({ name, frames }: { readonly name: string; readonly frames: readonly FiguresNow[] }) {
  const [now, before] = [frames.at(-1) as FiguresNow, frames.at(-2)]
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={`Operations of ${name}`}>
      <table>
        <thead>
          <tr>
            {['operation', 'calls', 'a second', 'p50', 'p99', 'p99.9', 'under way', 'failed', 'hits'].map(
              (head) => (
                <th key={head}>{head}</th>
              ),
            )}
          </tr>
        </thead>
        <tbody>
          {Object.entries(now.stores[name] ?? {}).map(([operation, one]) => (
            <tr key={operation} class={one.failed > 0 ? 'wrong' : undefined}>
              <th scope="row">{operation}</th>
              <td data-figure={`${name} ${operation} calls`}>{numberText(one.calls)}</td>
              <td>{before === undefined ? '–' : numberText(rate(before, now, name, operation))}</td>
              <td>{timeText(one.p50Ms)}</td>
              <td>{timeText(one.p99Ms)}</td>
              <td>{timeText(one.p999Ms)}</td>
              <td>{numberText(one.underWay)}</td>
              <td
                title={Object.entries(one.errors)
                  .map(([code, count]) => `${code}: ${count}`)
                  .join(', ')}
              >
                {one.failed === 0 ? '–' : numberText(one.failed)}
              </td>
              <td>{hitsText(one)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

type Operation = FiguresNow['stores'][string][string]

function hitsText({ hits, misses }: Operation): string {
  if (hits === undefined || misses === undefined) return ''
  const found = Object.values(hits).reduce((sum, count) => sum + count, 0)
  return found === 0 ? '–' : shareText(found / (found + misses))
}

/** Calls a second between two frames. */
function rate(before: FiguresNow, after: FiguresNow, store: string, operation: string): number {
  const calls = (frame: FiguresNow): number => frame.stores[store]?.[operation]?.calls ?? 0
  const seconds = (after.at - before.at) / 1_000
  return seconds <= 0 ? 0 : Math.max(0, (calls(after) - calls(before)) / seconds)
}
