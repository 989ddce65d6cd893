import type { FiguresNow, Overview, ProcessesView, PromisesView } from '../api.ts'
import { Chart } from '../chart.tsx'
import { type LiveFigures, usePolled } from '../hooks.ts'
import { layerText } from '../layers.ts'
import { rate } from '../rates.ts'
import { numberText } from '../units.ts'
import { OperationTable, RateTable } from './operations.tsx'
import { Past } from './past.tsx'
import { Processes } from './processes.tsx'
import { ServerFacts } from './server.tsx'

type StoreView = Overview['stores'][number]

/** Recorders write every five seconds. */
const everyMs = 5_000

/** How each store does. */
export function StoresView({ overview, live }: { readonly overview: Overview; readonly live: LiveFigures }) {
  const hasStores = overview.stores.length > 0
  const { value: view } = usePolled<ProcessesView>(hasStores ? 'api/processes' : undefined, everyMs)
  const { value: promises } = usePolled<PromisesView>(
    hasStores && overview.hasMonitor ? 'api/promises' : undefined,
    everyMs,
  )
  if (!hasStores)
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
            overview={overview}
            view={view}
            promises={promises}
          />
        ))}
      </div>
      {view !== undefined && <Processes view={view} />}
    </>
  )
}

interface CardProps {
  readonly store: StoreView
  readonly frames: readonly FiguresNow[]
  readonly overview: Pick<Overview, 'hasData' | 'hasPast' | 'hasMonitor'>
  readonly view: ProcessesView | undefined
  readonly promises: PromisesView | undefined
}

function StoreCard({ store, frames, overview, view, promises }: CardProps) {
  const { name, title } = store
  const { hasData, hasPast, hasMonitor } = overview
  const together = view?.together[name]
  return (
    <section class="card" aria-label={name}>
      <h2>
        {name} {title !== store.adapter && <span class="soft">{title}</span>}
        {hasData && <a href={`#data/${encodeURIComponent(name)}`}>Look inside</a>}
      </h2>
      <Layers store={store} />
      <ServerFacts server={view?.servers[name]} />
      <Kept name={name} promises={promises} />
      {hasMonitor && <StoreFigures name={name} frames={frames} isAlone={together === undefined} />}
      {together !== undefined && <RateTable name={name} rates={together} />}
      {hasPast && <Past store={name} />}
    </section>
  )
}

/** The way of a call through the layers, and what each does. */
function Layers({ store: { layers, adapter } }: { readonly store: StoreView }) {
  const known = layers.flatMap((layer) => {
    const text = layerText(layer)
    return text === undefined ? [] : [[layer, text] as const]
  })
  return (
    <>
      <p class="path">
        <span class="soft">call</span>
        {[...layers, adapter].map((layer) => (
          <span key={layer} class="layer" title={layerText(layer)}>
            {layer}
          </span>
        ))}
      </p>
      {known.length > 0 && (
        <details>
          <summary>What the layers do</summary>
          <dl>
            {known.map(([layer, text]) => (
              <>
                <dt>{layer}</dt>
                <dd>{text}</dd>
              </>
            ))}
          </dl>
        </details>
      )}
    </>
  )
}

/** How many promises about a store are kept. */
function Kept({ name, promises }: { readonly name: string; readonly promises: PromisesView | undefined }) {
  const own = promises?.promises.filter(({ policy }) => policy.store === name) ?? []
  if (own.length === 0) return null
  const broken = own.filter(({ state }) => state === 'broken').length
  const kept = own.filter(({ state }) => state === 'kept').length
  const few = own.length - broken - kept
  const parts = [
    kept > 0 && `${kept} kept`,
    broken > 0 && `${broken} broken`,
    few > 0 && `${few} with too few calls to say`,
  ]
  return (
    <p class={broken > 0 ? 'status' : 'note'}>
      Promises: <a href="#promises">{parts.filter((part) => part !== false).join(', ')}</a>
    </p>
  )
}

interface FiguresProps {
  readonly name: string
  readonly frames: readonly FiguresNow[]
  /** Whether no other process tells of this store. */
  readonly isAlone: boolean
}

function StoreFigures({ name, frames, isAlone }: FiguresProps) {
  const now = frames.at(-1)?.stores[name]
  if (now === undefined || Object.keys(now).length === 0)
    return isAlone ? (
      <p class="empty">
        No call has come to this process since it began to count. Figures come with the calls of the
        application; those of other processes are shown if the configuration has{' '}
        <code>{"monitor: { keepIn: 'a store' }"}</code>.
      </p>
    ) : null
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
